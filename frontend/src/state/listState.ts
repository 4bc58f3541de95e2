import { type ListView, plainView } from './list';
import type { Store } from './store';
import { readKept, writeKept } from './ui';

/** The space list of this window. Another window may show it differently. */
export interface ListState {
  view: ListView;
  /** Groups and trees that the user opened or closed, by key. */
  opened: Readonly<Record<string, boolean>>;
  /** Search text of the list. */
  query: string;
  /** Lists archived spaces instead. */
  archive: boolean;
  /** Spaces selected for a bulk action. */
  picked: ReadonlySet<string>;
}

export function firstList(): ListState {
  const { list, opened } = readKept();
  return { view: viewOf(list), opened: openedOf(opened), query: '', archive: false, picked: new Set() };
}

/** The stored value may be from another version of Weft or edited by hand. */
function viewOf(kept: Partial<ListView> | null): ListView {
  const { group, sort, projects, tags, imported } = typeof kept === 'object' && kept !== null ? kept : {};
  return {
    group: group === 'time' ? 'time' : plainView.group,
    sort: sort === 'created' || sort === 'name' ? sort : plainView.sort,
    projects: projects === 'hand' ? 'hand' : plainView.projects,
    tags: Array.isArray(tags) ? tags.filter((tag) => typeof tag === 'string') : plainView.tags,
    imported: imported !== false,
  };
}

function openedOf(kept: unknown): Record<string, boolean> {
  if (typeof kept !== 'object' || kept === null) return {};
  return Object.fromEntries(
    Object.entries(kept).filter((entry): entry is [string, boolean] => typeof entry[1] === 'boolean'),
  );
}

export function setView(list: Store<ListState>, change: Partial<ListView>): void {
  const view = { ...list.get().view, ...change };
  writeKept({ list: view });
  list.set({ view });
}

/** How many groups and trees are remembered. */
const mostOpened = 500;

/** Opens or closes a group or a tree. */
export function setOpened(list: Store<ListState>, key: string, open: boolean): void {
  const { [key]: _, ...others } = list.get().opened;
  const opened = Object.fromEntries([...Object.entries(others), [key, open] as const].slice(-mostOpened));
  writeKept({ opened });
  list.set({ opened });
}
