import type { Fork, Space, SpaceState, Tree } from '../transport/api';

/** The spaces of a branch tree, as the sidebar lists them. */
export interface Group {
  id: string;
  root: Space;
  /** The other spaces, oldest first. */
  branches: readonly Space[];
}

/** Groups spaces by branch tree, in the order of the first space of each tree. */
export function groupsOf(spaces: readonly Space[]): Group[] {
  const trees = new Map<string, Space[]>();
  for (const space of spaces) {
    const tree = trees.get(space.treeId);
    if (tree === undefined) trees.set(space.treeId, [space]);
    else tree.push(space);
  }
  return [...trees].map(([id, list]) => {
    // Nearly all trees contain a single space.
    if (list.length === 1) return { id, root: list[0] as Space, branches: alone };
    const [oldest, ...others] = list.toSorted(older) as [Space, ...Space[]];
    return { id, root: oldest, branches: others };
  });
}

const alone: readonly Space[] = [];

/** Orders the origin of a branch before the branch. */
function older(a: Space, b: Space): number {
  return (
    Number(b.id === b.treeId) - Number(a.id === a.treeId) ||
    a.createdAt - b.createdAt ||
    (a.id < b.id ? -1 : 1)
  );
}

export type Mark = SpaceState | 'unseen';
const urgent: readonly Mark[] = ['waiting', 'running', 'failed', 'unseen', 'idle'];

/** What a space needs the user for. The outcome of a turn is shown as a mark until the user has seen it. */
export function markOf({ state, unseen, waits }: Space): Mark {
  if (hasRequest({ state, waits })) return 'waiting';
  if (state === 'failed') return unseen ? 'failed' : 'idle';
  return unseen && state === 'idle' ? 'unseen' : state;
}

/** Reports whether the space has a pending request, whatever the state of its turn. */
export function hasRequest({ state, waits }: Pick<Space, 'state' | 'waits'>): boolean {
  return state === 'waiting' || (waits ?? []).length > 0;
}

/** The most urgent mark of several spaces, for a row that represents all of them. */
export function markOfAll(spaces: readonly Space[]): Mark {
  const marks = new Set(spaces.map(markOf));
  return urgent.find((mark) => marks.has(mark)) ?? 'idle';
}

const none: ReadonlyMap<string, Fork> = new Map();

/** The prompts of a space that have other versions, by id. */
export function forksOf(tree: Tree | null): ReadonlyMap<string, Fork> {
  return tree === null ? none : new Map(tree.forks.map((fork) => [fork.messageId, fork]));
}

/** The last step of the user from one version of a prompt to another. */
let going: { to: string; from: string; by: 1 | -1 } | null = null;

export function goAlong(to: string, from: string, by: 1 | -1): void {
  going = { to, from, by };
}

/** The direction in which the user reached this version of a prompt, if that is the last thing they did. */
export function arrivalDirection(spaceId: string, fork: Fork): 1 | -1 | null {
  return going?.to === spaceId && fork.spaces.includes(going.from) ? going.by : null;
}

export function arrived(): void {
  going = null;
}
