import { Dialog } from '@base-ui/react/dialog';
import { useState } from 'react';
import { removeSpaceNow } from '../../commands/spaces';
import { t } from '../../i18n';
import { showFailure } from '../../state/notify';
import { useStore } from '../../state/store';
import { useWeft } from '../../state/weft';
import { oneLine } from '../parts/clean';
import { inactiveWhile } from '../parts/inactiveWhile';
import { titleOf } from '../parts/spaceTitle';

/** Confirms deleting a space whose agent could delete its stored session, too. */
export function DeleteDialog() {
  const weft = useWeft();
  const deleting = useStore(weft.dialogs, (state) => state.deleting);
  const [atAgent, setAtAgent] = useState(false);
  const [busy, setBusy] = useState(false);
  const close = () => {
    weft.dialogs.set({ deleting: null });
    setAtAgent(false);
    setBusy(false);
  };
  if (deleting === null) return null;
  const { space } = deleting;
  const agent = oneLine(deleting.agent);
  const remove = async () => {
    setBusy(true);
    try {
      await removeSpaceNow(weft, space, atAgent);
    } catch (error) {
      showFailure(t('failed.delete'), error);
    }
    close();
  };
  return (
    <Dialog.Root open onOpenChange={(open) => !open && !busy && close()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="backdrop" />
        <Dialog.Popup className="dialog">
          <Dialog.Title className="dialog-title" dir="auto">
            {t('deleteSpace.title', { title: titleOf(space) })}
          </Dialog.Title>
          <Dialog.Description className="quiet-text">{t('deleteSpace.lead')}</Dialog.Description>
          <label className="check">
            <input
              type="checkbox"
              checked={atAgent}
              disabled={busy}
              onChange={(event) => setAtAgent(event.target.checked)}
            />
            {t('deleteSpace.atAgent', { agent })}
          </label>
          <div className="dialog-foot">
            <span className="quiet-text grow" role="status">
              {busy && atAgent ? t('deleteSpace.busy', { agent }) : atAgent ? t('deleteSpace.forEver') : ''}
            </span>
            <button type="button" className="button plain" {...inactiveWhile(busy)} onClick={close}>
              {t('cancel')}
            </button>
            <button
              type="button"
              className="button primary"
              {...inactiveWhile(busy)}
              onClick={() => void remove()}
            >
              {t('space.delete')}
            </button>
          </div>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
