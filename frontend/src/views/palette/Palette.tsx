import { Dialog } from '@base-ui/react/dialog';
import { t } from '../../i18n';
import { useStore } from '../../state/store';
import { useWeft } from '../../state/weft';
import { Commands } from './Commands';
import './palette.css';

/** Everything that can be done, by name. */
export function Palette() {
  const weft = useWeft();
  const open = useStore(weft.dialogs, (state) => state.open === 'palette');
  return (
    <Dialog.Root open={open} onOpenChange={(next) => weft.open(next ? 'palette' : null)}>
      <Dialog.Portal>
        <Dialog.Backdrop className="veil" />
        <Dialog.Popup className="palette" aria-label={t('palette.label')}>
          {open && <Commands />}
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
