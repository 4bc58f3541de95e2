import { useEffect, useSyncExternalStore } from 'react';
import { t } from '../../i18n';
import { entryAt, type OutlineState, SpaceOutline } from '../../state/outline';
import type { Session } from '../../state/session';
import { useStore } from '../../state/store';
import { useWeft, type Weft } from '../../state/weft';
import type { OutlineEntry } from '../../transport/api';
import { oneLine } from '../parts/clean';

const outlines = new WeakMap<Session, SpaceOutline>();

function outlineOf(weft: Weft, session: Session): SpaceOutline {
  let outline = outlines.get(session);
  if (outline === undefined) {
    outline = new SpaceOutline(weft.transport, session);
    outlines.set(session, outline);
  }
  return outline;
}

/** How long a space is left alone after it was opened before its outline is read, in ms. */
const patience = 250;

/** The outline of a space, kept up to date while it is used. */
export function useOutline(session: Session, soon = false): OutlineState & { reload(): void } {
  const weft = useWeft();
  const outline = outlineOf(weft, session);
  useEffect(() => {
    let stop = () => {};
    const timer = setTimeout(
      () => {
        stop = outline.use();
      },
      soon ? 0 : patience,
    );
    return () => {
      clearTimeout(timer);
      stop();
    };
  }, [outline, soon]);
  const state = useStore(outline.store, (value) => value);
  return { ...state, reload: () => outline.reload() };
}

/** The entry that the reader is at; -1 before the first. */
export function useEntryAt(session: Session, entries: readonly OutlineEntry[]): number {
  const weft = useWeft();
  const read = () => {
    const at = weft.readsAt.get();
    return at.spaceId === session.spaceId ? entryAt(entries, at.ord, at.segment) : -1;
  };
  return useSyncExternalStore(weft.readsAt.subscribe, read, read);
}

/** Goes to what an entry is about. */
export function goToEntry(weft: Weft, spaceId: string, { messageId, segment, item }: OutlineEntry): void {
  weft.goTo(spaceId, { messageId, segment, item });
}

/** What an entry says. `parentId` is the space that this one branched off from. */
export function wordsOf({ kind, text, spaceId }: OutlineEntry, parentId: string): string {
  const words = oneLine(text);
  if (kind === 'branch') {
    const title = words || t('space.untitled');
    return t(spaceId === parentId ? 'outline.branchFrom' : 'outline.branchTo', { title });
  }
  if (kind === 'edit') return fileOf(words);
  return words || t('outline.noText');
}

/** A path is told by its end. */
function fileOf(path: string): string {
  const parts = path.split('/');
  return parts.length > 3 ? `…/${parts.slice(-3).join('/')}` : path;
}
