import { t } from '../../i18n';
import { resting } from './resting';

interface Props {
  test: { running: boolean; cancel(): void };
  /** There is nothing yet that could be tested. */
  empty: boolean;
  onTest(): void;
  onClose(): void;
  busy: boolean;
  /** The word on the button that saves. */
  save: string;
}

/** The buttons below a form whose contents can be tested before they are saved. */
export function TestedFoot({ test, empty, onTest, onClose, busy, save }: Props) {
  return (
    <div className="dialog-foot">
      <button
        type="button"
        className="button"
        disabled={empty}
        onClick={() => {
          if (test.running) test.cancel();
          else onTest();
        }}
      >
        {test.running ? t('agentForm.stopTest') : t('agents.test')}
      </button>
      <span className="grow" />
      <button type="button" className="button plain" onClick={onClose}>
        {t('cancel')}
      </button>
      <button type="submit" className="button primary" {...resting(busy)}>
        {save}
      </button>
    </div>
  );
}
