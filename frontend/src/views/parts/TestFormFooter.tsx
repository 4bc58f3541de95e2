import { t } from '../../i18n';
import { inactiveWhile } from './inactiveWhile';

interface Props {
  test: { running: boolean; cancel(): void };
  /** There is nothing to test yet. */
  empty: boolean;
  onTest(): void;
  onClose(): void;
  busy: boolean;
  /** Label of the save button. */
  save: string;
}

/** Keeps a dialog as high as it is, so its buttons don't move when a result is shown. The result scrolls into view. */
function keepHeight(button: HTMLElement): void {
  const dialog = button.closest<HTMLElement>('.dialog');
  if (dialog !== null) dialog.style.height = `${dialog.getBoundingClientRect().height}px`;
}

/** The buttons of a form whose contents can be tested before saving. */
export function TestFormFooter({ test, empty, onTest, onClose, busy, save }: Props) {
  return (
    <div className="dialog-foot test-foot">
      <button
        type="button"
        className="button"
        disabled={empty}
        onClick={({ currentTarget }) => {
          keepHeight(currentTarget);
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
      <button type="submit" className="button primary" {...inactiveWhile(busy)}>
        {save}
      </button>
    </div>
  );
}
