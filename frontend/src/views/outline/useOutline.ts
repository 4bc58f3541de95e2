import { useEffect, useMemo, useSyncExternalStore } from 'react';
import { t } from '../../i18n';
import { translated } from '../../i18n/said';
import { entryAt, type OutlineState, SpaceOutline } from '../../state/outline';
import type { Session } from '../../state/session';
import { useStore } from '../../state/store';
import { useWeft, type Weft } from '../../state/weft';
import type { OutlineEntry } from '../../transport/api';
import { oneLine } from '../parts/clean';
import { pathFrom } from '../parts/paths';

const outlines = new WeakMap<Session, SpaceOutline>();

function outlineOf(weft: Weft, session: Session): SpaceOutline {
  let outline = outlines.get(session);
  if (outline === undefined) {
    outline = new SpaceOutline(weft.transport, session);
    outlines.set(session, outline);
  }
  return outline;
}

/** Delay after opening a space before its outline is loaded, in ms. */
const idleDelay = 250;

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
      soon ? 0 : idleDelay,
    );
    return () => {
      clearTimeout(timer);
      stop();
    };
  }, [outline, soon]);
  const state = useStore(outline.store, (value) => value);
  return { ...state, reload: () => outline.reload() };
}

/** The entry at the reading position; -1 before the first. */
export function useEntryAt(session: Session, entries: readonly OutlineEntry[]): number {
  const weft = useWeft();
  const read = () => {
    const at = weft.readingPosition.get();
    return at.spaceId === session.spaceId ? entryAt(entries, at.ord, at.segment) : -1;
  };
  return useSyncExternalStore(weft.readingPosition.subscribe, read, read);
}

/** Scrolls to an entry. */
export function goToEntry(weft: Weft, spaceId: string, { messageId, segment, item }: OutlineEntry): void {
  weft.goTo(spaceId, { messageId, segment, item });
}

/** Data of the space that is needed to describe its entries. */
export interface Own {
  /** The space it branched from; empty if it isn't a branch. */
  parentId: string;
  folder: string;
  home: string;
}

export function useOwn(session: Session): Own {
  const weft = useWeft();
  const parentId = useStore(session.store, ({ space }) => space?.parentId ?? '');
  const folder = useStore(session.store, ({ space }) => space?.folder ?? '');
  const home = useStore(weft.server, (state) => state.about.home);
  return useMemo(() => ({ parentId, folder, home }), [parentId, folder, home]);
}

/** The text of an entry. */
export function wordsOf({ kind, text, spaceId }: OutlineEntry, { parentId, folder, home }: Own): string {
  const words = oneLine(text);
  if (kind === 'branch') {
    const title = words || t('space.untitled');
    return t(spaceId === parentId ? 'outline.branchFrom' : 'outline.branchTo', { title });
  }
  if (kind === 'notice') return translated(words) || t('outline.noText');
  if (kind === 'edit') return pathFrom(words, folder, home);
  return words || t('outline.noText');
}
