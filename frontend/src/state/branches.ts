import type { Fork, Space, SpaceState, Tree } from '../transport/api';

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
    // Nearly all trees are one space.
    if (list.length === 1) return { id, root: list[0] as Space, branches: alone };
    const [oldest, ...others] = list.toSorted(older) as [Space, ...Space[]];
    return { id, root: oldest, branches: others };
  });
}

const alone: readonly Space[] = [];

/** What a tree came from is before what branched from it. */
function older(a: Space, b: Space): number {
  return (
    Number(b.id === b.treeId) - Number(a.id === a.treeId) ||
    a.createdAt - b.createdAt ||
    (a.id < b.id ? -1 : 1)
  );
}

export type Mark = SpaceState | 'unseen';
const urgent: readonly Mark[] = ['waiting', 'running', 'failed', 'unseen', 'idle'];

/** What a space needs the user for. How a turn ended is a mark until the user has seen it. */
export function markOf({ state, unseen, waits }: Space): Mark {
  if (asks({ state, waits })) return 'waiting';
  if (state === 'failed') return unseen ? 'failed' : 'idle';
  return unseen && state === 'idle' ? 'unseen' : state;
}

/** A request waits in the space, whatever became of its turn. */
export function asks({ state, waits }: Pick<Space, 'state' | 'waits'>): boolean {
  return state === 'waiting' || (waits ?? []).length > 0;
}

/** The most urgent mark of some spaces, for a row that stands for all of them. */
export function markOfAll(spaces: readonly Space[]): Mark {
  const marks = new Set(spaces.map(markOf));
  return urgent.find((mark) => marks.has(mark)) ?? 'idle';
}

const none: ReadonlyMap<string, Fork> = new Map();

/** The prompts of a space for which there are others, by their ids. */
export function forksOf(tree: Tree | null): ReadonlyMap<string, Fork> {
  return tree === null ? none : new Map(tree.forks.map((fork) => [fork.messageId, fork]));
}

/** The fork that the user goes along, from one branch to the next. */
let going: { to: string; from: string; by: 1 | -1 } | null = null;

export function goAlong(to: string, from: string, by: 1 | -1): void {
  going = { to, from, by };
}

/** Which way the user came to a fork of a space, if that is where they go. */
export function cameAlong(spaceId: string, fork: Fork): 1 | -1 | null {
  return going?.to === spaceId && fork.spaces.includes(going.from) ? going.by : null;
}

export function arrived(): void {
  going = null;
}
