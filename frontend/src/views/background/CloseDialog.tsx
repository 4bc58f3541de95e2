import { Dialog } from '@base-ui/react/dialog';
import { useRef, useState } from 'react';
import { closeWindow } from '../../commands/background';
import { t } from '../../i18n';
import { useStore } from '../../state/store';
import { useWeft } from '../../state/weft';

/** Asks what to do with working agents when the window is closed. */
export function CloseDialog() {
  const weft = useWeft();
  const working = useStore(weft.dialogs, (state) => state.closing);
  const keep = useRef<HTMLButtonElement>(null);
  const [always, setAlways] = useState(false);
  if (working === null) return null;
  const choose = (how: 'quit' | 'background' | 'stay') => {
    weft.dialogs.set({ closing: null });
    setAlways(false);
    void closeWindow(weft, how, how === 'background' && always);
  };
  return (
    <Dialog.Root open onOpenChange={(open) => !open && choose('stay')}>
      <Dialog.Portal>
        <Dialog.Backdrop className="backdrop" />
        <Dialog.Popup className="dialog" initialFocus={keep}>
          <Dialog.Title className="dialog-title">{t('background.working', { count: working })}</Dialog.Title>
          <Dialog.Description className="quiet-text">{t('background.lead')}</Dialog.Description>
          <label className="check">
            <input type="checkbox" checked={always} onChange={(event) => setAlways(event.target.checked)} />
            {t('background.always')}
          </label>
          <div className="dialog-foot">
            <span className="grow" />
            <button type="button" className="button plain" onClick={() => choose('stay')}>
              {t('cancel')}
            </button>
            <button type="button" className="button" onClick={() => choose('quit')}>
              {t('background.quitNow')}
            </button>
            <button type="button" ref={keep} className="button primary" onClick={() => choose('background')}>
              {t('background.keepNow')}
            </button>
          </div>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
