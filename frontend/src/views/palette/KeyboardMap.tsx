import { Dialog } from '@base-ui/react/dialog';
import { X } from 'lucide-react';
import { t } from '../../i18n';
import { useStore } from '../../state/store';
import { useWeft } from '../../state/weft';
import { AllKeys } from './AllKeys';

/** All shortcuts, by topic. */
export function KeyboardMap() {
  const weft = useWeft();
  const open = useStore(weft.dialogs, (state) => state.open === 'keyboard');
  return (
    <Dialog.Root open={open} onOpenChange={(next) => weft.open(next ? 'keyboard' : null)}>
      <Dialog.Portal>
        <Dialog.Backdrop className="backdrop" />
        <Dialog.Popup className="dialog keyboard-dialog">
          <div className="dialog-head keyboard-head">
            <Dialog.Title className="dialog-title">{t('keyboard.title')}</Dialog.Title>
            <Dialog.Close className="icon-button" aria-label={t('close')} title={t('close')}>
              <X size={16} aria-hidden />
            </Dialog.Close>
          </div>
          <AllKeys />
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
