import { byName } from '../i18n/formats';
import type { Space, SpaceOrder } from '../transport/api';
import { asks, groupsOf, type Mark, markOf, markOfAll, type Group as Tree } from './branches';

// What the sidebar lists, line by line. Nothing here knows how it is drawn.

export type Grouping = 'project' | 'time';
export type Sorting = 'activity' | 'created' | 'name';
export type ProjectSorting = 'activity' | 'hand';

/** How the user wants the list. */
export interface ListView {
  group: Grouping;
  sort: Sorting;
  projects: ProjectSorting;
  /** Only spaces with all of these tags, by their ids. */
  tags: readonly string[];
  /** Conversations that were imported from other programs are listed, too. */
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
  /** Tells it from all other lines, at any time. */
  key: string;
  open: boolean;
  /** How many spaces are in it. */
  count: number;
  /** What is most urgent in it, while it is closed. */
  mark: Mark;
  /** How many of its spaces need an answer, while it is closed. */
  waiting: number;
  /** The ids of its spaces, while it is closed: it says that the chosen one is in it. */
  within: readonly string[];
}

export type GroupLine = GroupOf &
  (
    | { of: 'pinned' | 'others' }
    | { of: 'time'; age: Age }
    | {
        of: 'project';
        /** Its folder, '' of the spaces without one. */
        project: string;
        /** The folder's name, with what is above it where two have the same. */
        name: string;
      }
  );

export interface SpaceLine {
  kind: 'space';
  key: string;
  space: Space;
  /** The key of its group, '' where there are none. */
  group: string;
  /** It is all that its project has: no heading says where it is, and it is moved as the project is. */
  alone: boolean;
  /** It is alone and comes after a group with a heading, which it isn't part of. */
  apart: boolean;
  mark: Mark;
  pinned: boolean;
  /** It is below what it branched from. */
  nested: boolean;
  /** How many branches are below it; they are shown while it is open. */
  branches: number;
  open: boolean;
  /** The tree that it is the root of. */
  tree: string;
  /** It is in the group of its project, which says where it is. */
  inProject: boolean;
  /** The ids of its branches. */
  within: readonly string[];
}

export type Line = GroupLine | SpaceLine;

export interface ListInput {
  /** Last activity first. */
  spaces: readonly Space[];
  order: Pick<SpaceOrder, 'pins' | 'projects'>;
  view: ListView;
  /** The groups and trees that the user has opened or closed, by their keys. */
  opened: Readonly<Record<string, boolean>>;
  /** The space that is shown: its branches are, too, unless the user has closed them. */
  selected: string | null;
  /** The beginning of this day, in unix ms. */
  today: number;
}

/** What an agent or a schedule has opened is listed apart, unless the user has pinned it. */
export function isOthers({ madeBy }: Pick<Space, 'madeBy'>): boolean {
  return madeBy === 'agent' || madeBy === 'schedule';
}

/** The lines of the list. */
export function linesOf({ spaces, order, view, opened, selected, today }: ListInput): Line[] {
  const pinned = new Map<string, Space | null>((order.pins ?? []).map((id) => [id, null]));
  const others: Space[] = [];
  const own: Space[] = [];
  for (const space of spaces) {
    if (view.tags.length > 0 && view.tags.some((tag) => !(space.tags ?? []).includes(tag))) continue;
    if (pinned.has(space.id)) pinned.set(space.id, space);
    else if (isOthers(space)) others.push(space);
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
    const more = { branches: branches.length, open, tree: id, mark, within };
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
      // An open group needs none of it.
      mark: open ? 'idle' : markOfAll(members),
      waiting: open ? 0 : members.filter(asks).length,
      within: open ? none : members.map(({ id }) => id),
    });
  };

  if (pins.length > 0) {
    const open = isOpen('pinned', true);
    addGroup({ of: 'pinned', key: 'pinned' }, pins, open);
    if (open) for (const space of pins) lines.push({ ...spaceLine(space, 'pinned', false), pinned: true });
  }
  // One group among nothing else is the list.
  const plain = groups.length === 1 && pins.length === 0 && others.length === 0;
  for (const { words, trees } of groups) {
    // A folder with one space needs no heading: the row says where it is.
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
    // Where all are in one folder, none of them has to say so.
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

/** The line of a space that is like most: not pinned, and without branches. */
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

/** Trees are in the order of the last activity in any of their spaces as they come. */
function sorted(trees: readonly Tree[], by: Sorting): readonly Tree[] {
  if (by === 'activity') return trees;
  if (by === 'created') return trees.toSorted((a, b) => b.root.createdAt - a.root.createdAt);
  // What has no title yet comes first: it is the newest.
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
  // What the user has not put in order is new to them, so it comes first.
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

/** How long ago something was, by days as a calendar has them. */
export function ageOf(at: number, today: number): Age {
  if (at >= today) return 'today';
  // A day may have 23 or 25 hours.
  if (at >= startOfDay(today - dayMs / 2)) return 'yesterday';
  if (at >= today - 7 * dayMs) return 'week';
  return at >= today - 30 * dayMs ? 'month' : 'older';
}

/** When the day of a time began. */
export function startOfDay(at: number): number {
  return new Date(at).setHours(0, 0, 0, 0);
}

/** The names of folders: their last part, with as many of those above it as it takes to tell them apart. */
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

/** The spaces that have all words in their title, their agent, their project or their tags. */
export function found(
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

/** The lines of what was searched for: no groups, and no trees. */
export function plainLines(spaces: readonly Space[], pins: readonly string[]): SpaceLine[] {
  const pinned = new Set(pins);
  return spaces.map((space) => ({ ...spaceLine(space, '', false), pinned: pinned.has(space.id) }));
}

/** Where the line of a space is, or of the closed tree or group that it is in; -1 where it is not listed. */
export function lineOf(lines: readonly Line[], spaceId: string): number {
  const own = lines.findIndex(({ key }) => key === spaceId);
  if (own >= 0) return own;
  const tree = lines.findIndex((line) => line.kind === 'space' && line.within.includes(spaceId));
  return tree >= 0 ? tree : lines.findIndex((line) => line.kind === 'group' && line.within.includes(spaceId));
}

/** The line that a letter leads to: the next whose words begin with the text, after the one that has the focus and around the end. */
export function typedTo(words: readonly string[], text: string, from: number): number {
  const wanted = text.toLowerCase();
  // One letter again and again goes from one to the next; a longer text stays as long as it fits.
  const same = wanted.length > 1 && [...wanted].every((letter) => letter === wanted[0]);
  const start = same ? (wanted[0] ?? '') : wanted;
  const first = wanted.length === 1 || same ? from + 1 : from;
  for (let i = 0; i < words.length; i++) {
    const at = (first + i) % words.length;
    if ((words[at] ?? '').toLowerCase().startsWith(start)) return at;
  }
  return -1;
}

/** A list in which one entry was moved by a place, or the list itself where there is no room. */
export function movedBy<T>(list: readonly T[], one: T, by: 1 | -1): readonly T[] {
  const at = list.indexOf(one);
  const to = at + by;
  if (at < 0 || to < 0 || to >= list.length) return list;
  return list.toSpliced(at, 1).toSpliced(to, 0, one);
}

/** The project that a line stands for: as its heading, or as all that it has. */
export function projectOf(line: Line): string | null {
  if (line.kind === 'space') return line.alone ? line.space.project : null;
  return line.of === 'project' ? line.project : null;
}

/** The projects that are listed, in their order. */
export function projectsOf(lines: readonly Line[]): readonly string[] {
  return lines.flatMap((line) => projectOf(line) ?? []);
}

/**
 * The spaces in the order in which they were: those of before as they were sorted then, with what they are now, and those
 * that have come since at the end.
 */
export function heldIn(spaces: readonly Space[], before: ReadonlyMap<string, Space>): Space[] {
  const at = new Map([...before.keys()].map((id, i) => [id, i]));
  const last = Math.min(...[...before.values()].map(({ lastActivity }) => lastActivity)) - 1;
  return spaces
    .map((space) => {
      const { lastActivity, title, project } = before.get(space.id) ?? { ...space, lastActivity: last };
      return { ...space, lastActivity, title, project };
    })
    .toSorted((a, b) => (at.get(a.id) ?? at.size) - (at.get(b.id) ?? at.size));
}

/** Lines with the spaces as they are now. */
export function withNow(lines: readonly Line[], spaces: readonly Space[]): Line[] {
  const now = new Map(spaces.map((space) => [space.id, space]));
  return lines.map((line) =>
    line.kind === 'space' ? { ...line, space: now.get(line.space.id) ?? line.space } : line,
  );
}
