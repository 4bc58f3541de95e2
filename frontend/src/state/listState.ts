import { type ListView, plainView } from './list';
import type { Store } from './store';
import { readKept, writeKept } from './ui';

/** The list of spaces as this window shows it. Another window may show it otherwise. */
export interface ListState {
  view: ListView;
  /** The groups and trees that the user has opened or closed, by their keys. */
  opened: Readonly<Record<string, boolean>>;
  /** What the list is searched for. */
  query: string;
  /** The archived spaces are listed instead. */
  archive: boolean;
  /** The spaces that are picked, for something that is done with all of them. */
  picked: ReadonlySet<string>;
}

export function firstList(): ListState {
  const { list, opened } = readKept();
  return { view: viewOf(list), opened: openedOf(opened), query: '', archive: false, picked: new Set() };
}

/** What is kept may be of another version of Weft, or of someone who has edited it. */
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

/** So many groups and trees are remembered. */
const mostOpened = 500;

/** Opens or closes a group or a tree. */
export function setOpened(list: Store<ListState>, key: string, open: boolean): void {
  const { [key]: _, ...others } = list.get().opened;
  const opened = Object.fromEntries([...Object.entries(others), [key, open] as const].slice(-mostOpened));
  writeKept({ opened });
  list.set({ opened });
}
