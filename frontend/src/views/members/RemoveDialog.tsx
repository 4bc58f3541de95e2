import { Dialog } from '@base-ui/react/dialog';
import { t } from '../../i18n';
import type { Member } from '../../transport/api';
import { oneLine } from '../parts/clean';

interface RemoveDialogProps {
  member: Member;
  onKeep(): void;
  onRemove(): void;
}

/** Confirms removing a working member, which stops it. */
export function RemoveDialog({ member, onKeep, onRemove }: RemoveDialogProps) {
  const name = oneLine(member.name);
  return (
    <Dialog.Root open onOpenChange={(open) => !open && onKeep()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="backdrop" />
        <Dialog.Popup className="dialog">
          <Dialog.Title className="dialog-title">{t('members.removeTitle', { name })}</Dialog.Title>
          <Dialog.Description className="quiet-text">{t('members.removeLead')}</Dialog.Description>
          <div className="dialog-foot">
            <span className="grow" />
            <button type="button" className="button plain" onClick={onKeep}>
              {t('members.keep')}
            </button>
            <button type="button" className="button primary" onClick={onRemove}>
              {t('members.stopAndRemove')}
            </button>
          </div>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
