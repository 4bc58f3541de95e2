import { Dialog } from '@base-ui/react/dialog';
import { useState } from 'react';
import { t } from '../../i18n';
import { useStore } from '../../state/store';
import { useWeft } from '../../state/weft';
import { Commands } from './Commands';
import './palette.css';

/** The command palette. */
export function Palette() {
  const weft = useWeft();
  const open = useStore(weft.dialogs, (state) => state.open === 'palette');
  // It keeps its list while it fades out, and starts fresh when it is reopened, even before the animation ends.
  const [times, setTimes] = useState({ open, count: 0 });
  if (times.open !== open) setTimes({ open, count: times.count + (open ? 1 : 0) });
  return (
    <Dialog.Root open={open} onOpenChange={(next) => weft.open(next ? 'palette' : null)}>
      <Dialog.Portal>
        <Dialog.Backdrop className="backdrop" />
        <Dialog.Popup className="palette" aria-label={t('palette.label')}>
          <Commands key={times.count} />
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
