import { byName } from '../i18n/formats';
import type { Space, SpaceOrder } from '../transport/api';
import { groupsOf, hasRequest, type Mark, markOf, markOfAll, type Group as Tree } from './branches';

// Computes the rows of the sidebar list, independent of how they are rendered.

export type Grouping = 'project' | 'time';
export type Sorting = 'activity' | 'created' | 'name';
export type ProjectSorting = 'activity' | 'hand';

/** The user's settings for the list. */
export interface ListView {
  group: Grouping;
  sort: Sorting;
  projects: ProjectSorting;
  /** Only spaces with all of these tags, by id. */
  tags: readonly string[];
  /** Include conversations imported from other programs. */
  imported: boolean;
}

export const plainView: ListView = {
  group: 'project',
  sort: 'activity',
  projects: 'activity',
  tags: [],
  imported: true,
};

export const ages = ['today', 'yesterday', 'week', 'month', 'older'] as const;
export type Age = (typeof ages)[number];

interface GroupOf {
  kind: 'group';
  /** Identifies the line permanently. */
  key: string;
  open: boolean;
  /** Number of spaces in it. */
  count: number;
  /** The most urgent mark in it, while it is closed. */
  mark: Mark;
  /** Number of its spaces that need an answer, while it is closed. */
  waiting: number;
  /** The ids of its spaces, while it is closed, to show that it contains the selected one. */
  within: readonly string[];
}

export type GroupLine = GroupOf &
  (
    | { of: 'pinned' | 'others' }
    | { of: 'time'; age: Age }
    | {
        of: 'project';
        /** Its folder; '' for spaces without one. */
        project: string;
        /** The folder's name, with parent folders if two have the same name. */
        name: string;
      }
  );

export interface SpaceLine {
  kind: 'space';
  key: string;
  space: Space;
  /** Key of its group; '' if the list has no groups. */
  group: string;
  /** It is the only space of its project: it has no heading, and moving it moves the project. */
  alone: boolean;
  /** It stands alone after a group with a heading that it doesn't belong to. */
  apart: boolean;
  mark: Mark;
  pinned: boolean;
  /** It is listed below the space it branched from. */
  nested: boolean;
  /** Number of branches below it, which are visible while it is open. */
  branches: number;
  open: boolean;
  /** The tree whose root it is. */
  tree: string;
  /** It is in the group of its project, so the row needn't name the project. */
  inProject: boolean;
  /** The ids of its branches. */
  within: readonly string[];
  /** The branch with the request that its mark shows, if that branch isn't visible; empty if there is none. */
  asks: string;
}

export type Line = GroupLine | SpaceLine;

export interface ListInput {
  /** Most recent activity first. */
  spaces: readonly Space[];
  order: Pick<SpaceOrder, 'pins' | 'projects'>;
  view: ListView;
  /** Groups and trees that the user opened or closed, by key. */
  opened: Readonly<Record<string, boolean>>;
  /** The visible space. Its branches are shown too, unless the user closed them. */
  selected: string | null;
  /** Start of the current day, in unix ms. */
  today: number;
}

/** Spaces opened by an agent or a schedule are listed separately unless the user pinned them. */
export function isAutomatic({ madeBy }: Pick<Space, 'madeBy'>): boolean {
  return madeBy === 'agent' || madeBy === 'schedule';
}

/** Returns the lines of the list. */
export function linesOf({ spaces, order, view, opened, selected, today }: ListInput): Line[] {
  const pinned = new Map<string, Space | null>((order.pins ?? []).map((id) => [id, null]));
  const others: Space[] = [];
  const own: Space[] = [];
  for (const space of spaces) {
    if (view.tags.length > 0 && view.tags.some((tag) => !(space.tags ?? []).includes(tag))) continue;
    if (pinned.has(space.id)) pinned.set(space.id, space);
    else if (isAutomatic(space)) others.push(space);
    else if (view.imported || space.madeBy !== 'import') own.push(space);
  }
  const pins = [...pinned.values()].filter((space) => space !== null);
  const trees = sorted(groupsOf(own), view.sort);
  const groups =
    view.group === 'time' ? byTime(trees, view.sort, today) : byProject(trees, view, order.projects ?? []);

  const lines: Line[] = [];
  const isOpen = (key: string, otherwise: boolean) => opened[key] ?? otherwise;
  const addTree = ({ id, root, branches }: Tree, group: string, inProject: boolean) => {
    if (branches.length === 0) {
      lines.push(spaceLine(root, group, inProject));
      return;
    }
    const within = branches.map((space) => space.id);
    const chosen = selected !== null && (root.id === selected || within.includes(selected));
    const open = isOpen(`tree:${id}`, chosen);
    const mark = open ? markOf(root) : markOfAll([root, ...branches]);
    const asks = open || hasRequest(root) ? '' : (branches.find(hasRequest)?.id ?? '');
    const more = { branches: branches.length, open, tree: id, mark, within, asks };
    lines.push({ ...spaceLine(root, group, inProject), ...more });
    if (open)
      for (const space of branches) lines.push({ ...spaceLine(space, group, inProject), nested: true });
  };
  const headed = new Set<string>();
  const addGroup = (line: GroupWords, members: readonly Space[], open: boolean) => {
    headed.add(line.key);
    lines.push({
      ...line,
      kind: 'group',
      open,
      count: members.length,
      // Not needed for an open group.
      mark: open ? 'idle' : markOfAll(members),
      waiting: open ? 0 : members.filter(hasRequest).length,
      within: open ? none : members.map(({ id }) => id),
    });
  };

  if (pins.length > 0) {
    const open = isOpen('pinned', true);
    addGroup({ of: 'pinned', key: 'pinned' }, pins, open);
    if (open) for (const space of pins) lines.push({ ...spaceLine(space, 'pinned', false), pinned: true });
  }
  // A list with a single group needs no heading.
  const plain = groups.length === 1 && pins.length === 0 && others.length === 0;
  for (const { words, trees } of groups) {
    // A folder with one space needs no heading: the row names it.
    if (!plain && words.of === 'project' && trees.length === 1) {
      const first = lines.length;
      for (const tree of trees) addTree(tree, words.key, false);
      const line = lines[first];
      const above = lines[first - 1];
      const apart = above !== undefined && (above.kind === 'group' || headed.has(above.group));
      if (line?.kind === 'space') lines[first] = { ...line, alone: true, apart };
      continue;
    }
    const open = plain || isOpen(words.key, true);
    if (!plain)
      addGroup(
        words,
        trees.flatMap(({ root, branches }) => [root, ...branches]),
        open,
      );
    const group = plain ? '' : words.key;
    // If all spaces are in one folder, no row has to name it.
    if (open) for (const tree of trees) addTree(tree, group, words.of === 'project');
  }
  if (others.length > 0) {
    const open = isOpen('others', false);
    addGroup({ of: 'others', key: 'others' }, others, open);
    if (open) for (const tree of sorted(groupsOf(others), view.sort)) addTree(tree, 'others', false);
  }
  return lines;
}

const none: readonly string[] = [];

/** An ordinary space line: not pinned, and without branches. */
function spaceLine(space: Space, group: string, inProject: boolean): SpaceLine {
  return {
    kind: 'space',
    key: space.id,
    space,
    group,
    mark: markOf(space),
    alone: false,
    apart: false,
    pinned: false,
    nested: false,
    branches: 0,
    open: false,
    tree: '',
    inProject,
    within: none,
    asks: '',
  };
}

type GroupWords =
  | { of: 'pinned' | 'others'; key: string }
  | { of: 'time'; key: string; age: Age }
  | { of: 'project'; key: string; project: string; name: string };

interface Grouped {
  words: GroupWords;
  trees: readonly Tree[];
}

/** Sorts trees, which are given in the order of their last activity. */
function sorted(trees: readonly Tree[], by: Sorting): readonly Tree[] {
  if (by === 'activity') return trees;
  if (by === 'created') return trees.toSorted((a, b) => b.root.createdAt - a.root.createdAt);
  // A space without a title comes first, because it is new.
  return trees.toSorted((a, b) => byName(a.root.title, b.root.title));
}

function activityOf({ root, branches }: Tree): number {
  let last = root.lastActivity;
  for (const { lastActivity } of branches) last = Math.max(last, lastActivity);
  return last;
}

function byProject(trees: readonly Tree[], view: ListView, byHand: readonly string[]): Grouped[] {
  const groups = new Map<string, { trees: Tree[]; last: number }>();
  for (const tree of trees) {
    const { project } = tree.root;
    let group = groups.get(project);
    if (group === undefined) {
      group = { trees: [], last: 0 };
      groups.set(project, group);
    }
    group.trees.push(tree);
    group.last = Math.max(group.last, activityOf(tree));
  }
  const place = new Map(byHand.map((project, i) => [project, i]));
  const name = namesOf([...groups.keys()]);
  // Projects that the user hasn't ordered are new and come first.
  const at = (project: string) => (view.projects === 'hand' ? (place.get(project) ?? -1) : 0);
  return [...groups]
    .toSorted(([a, { last: x }], [b, { last: y }]) => at(a) - at(b) || y - x)
    .map(([project, { trees }]) => ({
      words: { of: 'project', key: `project:${project}`, project, name: name.get(project) ?? project },
      trees,
    }));
}

const dayMs = 24 * 60 * 60 * 1000;

function byTime(trees: readonly Tree[], sort: Sorting, today: number): Grouped[] {
  const groups = new Map<Age, Tree[]>();
  for (const tree of trees) {
    const age = ageOf(sort === 'created' ? tree.root.createdAt : activityOf(tree), today);
    const group = groups.get(age);
    if (group === undefined) groups.set(age, [tree]);
    else group.push(tree);
  }
  return ages.flatMap((age) => {
    const trees = groups.get(age);
    return trees === undefined ? [] : [{ words: { of: 'time', key: `time:${age}`, age }, trees }];
  });
}

/** Returns how old something is, in calendar days. */
export function ageOf(at: number, today: number): Age {
  if (at >= today) return 'today';
  // A day may have 23 or 25 hours.
  if (at >= startOfDay(today - dayMs / 2)) return 'yesterday';
  if (at >= today - 7 * dayMs) return 'week';
  return at >= today - 30 * dayMs ? 'month' : 'older';
}

/** Returns the start of the day of a timestamp. */
export function startOfDay(at: number): number {
  return new Date(at).setHours(0, 0, 0, 0);
}

/** Names of folders: the last component, with as many parents as needed to tell them apart. */
export function namesOf(folders: readonly string[]): ReadonlyMap<string, string> {
  const parts = new Map(folders.map((path) => [path, path.split(/[\\/]/).filter(Boolean)]));
  const name = (path: string, length: number) => (parts.get(path) ?? []).slice(-length).join('/') || path;
  const out = new Map<string, string>();
  let left = folders;
  for (let length = 1; left.length > 0; length++) {
    const count = new Map<string, number>();
    for (const path of left) count.set(name(path, length), (count.get(name(path, length)) ?? 0) + 1);
    const done = (path: string) =>
      count.get(name(path, length)) === 1 || length >= (parts.get(path)?.length ?? 0);
    for (const path of left) if (done(path)) out.set(path, name(path, length));
    left = left.filter((path) => !done(path));
  }
  return out;
}

/** The spaces that contain all words in their title, agent, project or tags. */
export function searchSpaces(
  spaces: readonly Space[],
  words: readonly string[],
  tagNames: ReadonlyMap<string, string>,
): Space[] {
  if (words.length === 0) return [...spaces];
  return spaces.filter(({ title, agentName, project, tags }) => {
    const named = (tags ?? []).map((id) => tagNames.get(id) ?? '').join(' ');
    const text = `${title} ${agentName} ${project.split(/[\\/]/).at(-1) ?? ''} ${named}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
}

/** Lines for search results: no groups, and no trees. */
export function plainLines(spaces: readonly Space[], pins: readonly string[]): SpaceLine[] {
  const pinned = new Set(pins);
  return spaces.map((space) => ({ ...spaceLine(space, '', false), pinned: pinned.has(space.id) }));
}

/**
 * Returns the index of the line of a space, or of the closed tree or group that contains it; -1 if it is not listed.
 */
export function lineOf(lines: readonly Line[], spaceId: string): number {
  const own = lines.findIndex(({ key }) => key === spaceId);
  if (own >= 0) return own;
  const tree = lines.findIndex((line) => line.kind === 'space' && line.within.includes(spaceId));
  return tree >= 0 ? tree : lines.findIndex((line) => line.kind === 'group' && line.within.includes(spaceId));
}

/**
 * Type-ahead: returns the next line with a word that starts with the text, after the focused one and wrapping around.
 */
export function typeAhead(words: readonly string[], text: string, from: number): number {
  const wanted = text.toLowerCase();
  // Repeating one letter moves from match to match; a longer text stays on the line while it matches.
  const same = wanted.length > 1 && [...wanted].every((letter) => letter === wanted[0]);
  const start = same ? (wanted[0] ?? '') : wanted;
  const first = wanted.length === 1 || same ? from + 1 : from;
  for (let i = 0; i < words.length; i++) {
    const at = (first + i) % words.length;
    if ((words[at] ?? '').toLowerCase().startsWith(start)) return at;
  }
  return -1;
}

/** Moves an entry by one. Returns the same list if that is not possible. */
export function movedBy<T>(list: readonly T[], one: T, by: 1 | -1): readonly T[] {
  const at = list.indexOf(one);
  const to = at + by;
  if (at < 0 || to < 0 || to >= list.length) return list;
  return list.toSpliced(at, 1).toSpliced(to, 0, one);
}

/** The project of a line: a heading, or its only space. */
export function projectOf(line: Line): string | null {
  if (line.kind === 'space') return line.alone ? line.space.project : null;
  return line.of === 'project' ? line.project : null;
}

/** The listed projects, in order. */
export function projectsOf(lines: readonly Line[]): readonly string[] {
  return lines.flatMap((line) => projectOf(line) ?? []);
}

/** Freezes the order of spaces: keeps the earlier order with current data, and appends new spaces at the end. */
export function inHeldOrder(spaces: readonly Space[], before: ReadonlyMap<string, Space>): Space[] {
  const at = new Map([...before.keys()].map((id, i) => [id, i]));
  const last = Math.min(...[...before.values()].map(({ lastActivity }) => lastActivity)) - 1;
  return spaces
    .map((space) => {
      const { lastActivity, title, project } = before.get(space.id) ?? { ...space, lastActivity: last };
      return { ...space, lastActivity, title, project };
    })
    .toSorted((a, b) => (at.get(a.id) ?? at.size) - (at.get(b.id) ?? at.size));
}

/** Updates the spaces in existing lines. */
export function withCurrentSpaces(lines: readonly Line[], spaces: readonly Space[]): Line[] {
  const now = new Map(spaces.map((space) => [space.id, space]));
  return lines.map((line) =>
    line.kind === 'space' ? { ...line, space: now.get(line.space.id) ?? line.space } : line,
  );
}
