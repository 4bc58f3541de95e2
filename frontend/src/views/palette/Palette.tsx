import { Dialog } from '@base-ui/react/dialog';
import { useState } from 'react';
import { t } from '../../i18n';
import { useStore } from '../../state/store';
import { useWeft } from '../../state/weft';
import { Commands } from './Commands';
import './palette.css';

/** Everything that can be done, by name. */
export function Palette() {
  const weft = useWeft();
  const open = useStore(weft.dialogs, (state) => state.open === 'palette');
  // It keeps its list while it fades, and begins with another one, also where it is opened again before it is gone.
  const [times, setTimes] = useState({ open, count: 0 });
  if (times.open !== open) setTimes({ open, count: times.count + (open ? 1 : 0) });
  return (
    <Dialog.Root open={open} onOpenChange={(next) => weft.open(next ? 'palette' : null)}>
      <Dialog.Portal>
        <Dialog.Backdrop className="veil" />
        <Dialog.Popup className="palette" aria-label={t('palette.label')}>
          <Commands key={times.count} />
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
