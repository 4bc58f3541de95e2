import { Archive, ArchiveRestore, Pin, PinOff, Tag, Trash2, X } from 'lucide-react';
import { archiveSpaces, clearPicked, pinSpaces, removeSpaces } from '../../commands/list';
import { t } from '../../i18n';
import { useArchived } from '../../queries/spaces';
import { useStore } from '../../state/store';
import { useWeft } from '../../state/weft';
import { returnFocus } from '../parts/returnFocus';

/** Bulk actions for all selected spaces. */
export function PickedBar({ archive }: { archive: boolean }) {
  const weft = useWeft();
  const picked = useStore(weft.list, (state) => state.picked);
  return (
    <>
      <p className="visually-hidden" role="status">
        {picked.size > 0 && t('list.picked', { count: picked.size })}
      </p>
      {picked.size > 0 && (archive ? <OfArchived /> : <OfSpaces />)}
    </>
  );
}

function OfSpaces() {
  const weft = useWeft();
  const picked = useStore(weft.list, (state) => state.picked);
  const pinned = useStore(weft.server, ({ order }) =>
    [...picked].every((id) => (order.pins ?? []).includes(id)),
  );
  const spaces = () => weft.server.get().spaces.filter(({ id }) => picked.has(id));
  return (
    <Bar count={picked.size}>
      <Act
        of={pinned ? PinOff : Pin}
        label={t(pinned ? 'list.unpin' : 'list.pin')}
        run={() => void pinSpaces(weft, [...picked], !pinned)}
      />
      <Act of={Tag} label={t('list.tag')} run={() => weft.dialogs.set({ tags: [...picked] })} />
      <Act of={Archive} label={t('space.archive')} run={() => void archiveSpaces(weft, spaces(), true)} />
      <Act of={Trash2} label={t('space.delete')} run={() => void removeSpaces(weft, spaces())} />
    </Bar>
  );
}

function OfArchived() {
  const weft = useWeft();
  const picked = useStore(weft.list, (state) => state.picked);
  const query = useStore(weft.list, (state) => state.query);
  const { data } = useArchived(query);
  const spaces = () => (data ?? []).filter(({ id }) => picked.has(id));
  return (
    <Bar count={picked.size}>
      <Act
        of={ArchiveRestore}
        label={t('space.unarchive')}
        run={() => void archiveSpaces(weft, spaces(), false)}
      />
      <Act of={Trash2} label={t('space.delete')} run={() => void removeSpaces(weft, spaces())} />
    </Bar>
  );
}

function Bar({ count, children }: { count: number; children: React.ReactNode }) {
  const weft = useWeft();
  return (
    <div className="picked-bar" role="toolbar" aria-label={t('list.pickedActions')}>
      <span className="picked-count tabular">{t('list.picked', { count })}</span>
      {children}
      <Act of={X} label={t('list.clearPicked')} run={() => clearPicked(weft)} />
    </div>
  );
}

function Act({ of: Icon, label, run }: { of: typeof Pin; label: string; run(): void }) {
  return (
    <button
      type="button"
      className="icon-button"
      aria-label={label}
      title={label}
      onClick={() => {
        run();
        returnFocus(
          () => document.querySelector('.picked-bar button'),
          () => document.querySelector('.sidebar-list :is(.space-button, .group-button)[tabindex="0"]'),
        );
      }}
    >
      <Icon size={15} aria-hidden />
    </button>
  );
}
