import { useEffect } from 'react';
import type { Fork, Space, SpaceState, Tree } from '../transport/api';
import { useStore } from './store';
import { useWeft } from './weft';

/** The spaces of a tree of branches, as the sidebar lists them. */
export interface Group {
  id: string;
  root: Space;
  /** The others, oldest first. */
  branches: readonly Space[];
}

/** The spaces by the trees that they are in. The order is theirs: that of the first one of each tree. */
export function groupsOf(spaces: readonly Space[]): Group[] {
  const trees = new Map<string, Space[]>();
  for (const space of spaces) {
    const tree = trees.get(space.treeId);
    if (tree === undefined) trees.set(space.treeId, [space]);
    else tree.push(space);
  }
  return [...trees].map(([id, list]) => {
    const [oldest, ...others] = list.toSorted(older) as [Space, ...Space[]];
    return { id, root: oldest, branches: others };
  });
}

/** What a tree came from stands before what branched from it. */
function older(a: Space, b: Space): number {
  return (
    Number(b.id === b.treeId) - Number(a.id === a.treeId) ||
    a.createdAt - b.createdAt ||
    (a.id < b.id ? -1 : 1)
  );
}

export type Mark = SpaceState | 'unseen';
const urgent: readonly Mark[] = ['waiting', 'running', 'failed', 'unseen', 'idle'];

export function markOf(space: Space): Mark {
  return space.unseen && space.state === 'idle' ? 'unseen' : space.state;
}

/** The most urgent mark of some spaces, for a row that stands for all of them. */
export function markOfAll(spaces: readonly Space[]): Mark {
  const marks = new Set(spaces.map(markOf));
  return urgent.find((mark) => marks.has(mark)) ?? 'idle';
}

/** Keeps the tree of the space that is open. It is read again when anything in it has changed. */
export function useTreeOf(spaceId: string): void {
  const weft = useWeft();
  const online = useStore(weft.store, ({ connection }) => connection === 'online');
  const signature = useStore(weft.store, ({ spaces }) => {
    const treeId = spaces.find(({ id }) => id === spaceId)?.treeId;
    return spaces
      .filter((space) => space.treeId === treeId)
      .map(({ id, state, title }) => `${id} ${state} ${title}`)
      .toSorted()
      .join('\n');
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: the signature stands for what is asked for
  useEffect(() => {
    if (!online) return;
    let wanted = true;
    weft.transport.call('Branches', { spaceId }).then(
      (tree) => wanted && weft.store.set({ tree: { spaceId, ...tree } }),
      () => {
        // The space then stands as if it had no branches; the next change reads them again.
      },
    );
    return () => {
      wanted = false;
    };
  }, [weft, spaceId, signature, online]);
}

/** The tree of a space once it is known and has more than that space. */
export function useTree(spaceId: string): Tree | null {
  const weft = useWeft();
  return useStore(weft.store, ({ tree }) =>
    tree?.spaceId === spaceId && tree.spaces.length > 1 ? tree : null,
  );
}

const none: ReadonlyMap<string, Fork> = new Map();

/** The prompts of a space for which there are others, by their ids. */
export function forksOf(tree: Tree | null): ReadonlyMap<string, Fork> {
  return tree === null ? none : new Map(tree.forks.map((fork) => [fork.messageId, fork]));
}

/** The fork that the person goes along, from one branch to the next. */
let going: { to: string; from: string; by: 1 | -1 } | null = null;

export function goAlong(to: string, from: string, by: 1 | -1): void {
  going = { to, from, by };
}

/** Which way the person came to a fork of a space, if that is where they go. */
export function cameAlong(spaceId: string, fork: Fork): 1 | -1 | null {
  return going?.to === spaceId && fork.spaces.includes(going.from) ? going.by : null;
}

export function arrived(): void {
  going = null;
}
