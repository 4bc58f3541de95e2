import { expect, it } from 'vitest';
import { Random } from '../markdown/testing/random';
import type { Space } from '../transport/api';
import {
  ageOf,
  inHeldOrder,
  type Line,
  type ListInput,
  lineOf,
  linesOf,
  movedBy,
  namesOf,
  plainView,
  projectsOf,
  searchSpaces,
  startOfDay,
  typeAhead,
  withCurrentSpaces,
} from './list';

let at = 1000;
const space = (id: string, change: Partial<Space> = {}): Space =>
  ({
    ...{ id, title: id, treeId: id, parentId: '', agentName: 'Robin', state: 'idle', unseen: false },
    ...{ project: '/p/loom', madeBy: 'user', tags: [], createdAt: at, lastActivity: at-- },
    ...change,
  }) as Space;

const today = startOfDay(Date.parse('2026-11-25T12:00:00'));
const lines = (spaces: readonly Space[], change: Partial<ListInput> = {}) =>
  linesOf({
    spaces: spaces.toSorted((a, b) => b.lastActivity - a.lastActivity),
    order: { pins: [], projects: [] },
    view: plainView,
    opened: {},
    selected: null,
    today,
    ...change,
  });

/** The lines as text: groups with their count, and their members indented. */
const drawn = (list: readonly Line[]) =>
  list.map((line) => {
    if (line.kind === 'space') {
      const indent = line.alone ? (line.apart ? '/' : '') : line.group === '' ? '' : ' ';
      return `${indent}${line.nested ? '└' : ''}${line.key}`;
    }
    const name = line.of === 'project' ? line.name : line.of === 'time' ? line.age : line.of;
    return `${line.open ? '▾' : '▸'}${name} ${line.count}${line.waiting > 0 ? ` !${line.waiting}` : ''}`;
  });

it('shows one project as a list, and several as groups in the order of their activity', () => {
  const a = [
    space('a1'),
    space('b1', { project: '/p/web' }),
    space('a2'),
    space('b2', { project: '/p/web' }),
  ];
  expect(drawn(lines([a[0], a[2]] as Space[]))).toEqual(['a1', 'a2']);
  expect(drawn(lines(a))).toEqual(['▾loom 2', ' a1', ' a2', '▾web 2', ' b1', ' b2']);
  const later = a.map((one) => (one.id === 'b2' ? { ...one, lastActivity: 5000 } : one));
  expect(drawn(lines(later))).toEqual(['▾web 2', ' b2', ' b1', '▾loom 2', ' a1', ' a2']);
});

it('puts projects in the order of the user, those that are new first', () => {
  const a = [
    space('a'),
    space('b', { project: '/b' }),
    space('c', { project: '/c' }),
    space('d', { project: '' }),
    space('e', { project: '/c' }),
  ];
  const view = { ...plainView, projects: 'hand' as const };
  const order = { pins: [], projects: ['/c', '/gone', '/b'] };
  const list = lines(a, { view, order });
  expect(drawn(list)).toEqual(['a', 'd', '▾c 2', ' c', ' e', '/b']);
  expect(projectsOf(list)).toEqual(['/p/loom', '', '/c', '/b']);
});

it('gives a folder with one space no heading, and says where it is', () => {
  const a = [
    space('a1'),
    space('a2'),
    space('b', { project: '/b' }),
    space('c', { project: '/c' }),
    space('c1', { project: '/c', treeId: 'c' }),
  ];
  const list = lines(a, { opened: { 'project:/b': false } });
  expect(drawn(list)).toEqual(['▾loom 2', ' a1', ' a2', '/b', 'c']);
  expect(list.map((line) => line.kind === 'space' && line.inProject)).toEqual([
    ...[false, true, true, false, false],
  ]);
  // With a single folder, no row names it; if every folder has one space, there are no headings.
  expect(lines(a.slice(0, 2)).every((line) => line.kind === 'space' && line.inProject)).toBe(true);
  expect(drawn(lines(a.slice(2)))).toEqual(['b', 'c']);
});

it('says of a closed group what waits in it', () => {
  const a = [
    space('a', { state: 'waiting' }),
    space('b', { state: 'running' }),
    space('c', { project: '/c', unseen: true }),
    space('d', { project: '/c', state: 'failed' }),
  ];
  const list = lines(a, { opened: { 'project:/p/loom': false, 'project:/c': false } });
  expect(drawn(list)).toEqual(['▸loom 2 !1', '▸c 2']);
  expect(list.map((line) => line.kind === 'group' && line.mark)).toEqual(['waiting', 'unseen']);
  expect(lineOf(list, 'b')).toBe(0);
  expect(lineOf(list, 'gone')).toBe(-1);
});

it('lists pins first in their order, and what agents and schedules have opened last', () => {
  const a = [
    space('a'),
    space('b', { madeBy: 'agent' }),
    space('c', { madeBy: 'schedule', state: 'waiting' }),
    space('d'),
    space('e', { madeBy: 'agent' }),
    space('f', { madeBy: 'import' }),
  ];
  const order = { pins: ['d', 'gone', 'b'], projects: [] };
  const shown = ['▾pinned 2', ' d', ' b', '▾loom 2', ' a', ' f', '▸others 2 !1'];
  expect(drawn(lines(a, { order }))).toEqual(shown);
  const own = lines(a, { order, view: { ...plainView, imported: false }, opened: { others: true } });
  expect(drawn(own)).toEqual(['▾pinned 2', ' d', ' b', '/a', '▾others 2', ' c', ' e']);
});

it('shows only spaces with all of the tags', () => {
  const a = [space('a', { tags: ['x'] }), space('b', { tags: ['y', 'x'] }), space('c')];
  const tagged = (...tags: string[]) => drawn(lines(a, { view: { ...plainView, tags } }));
  expect(tagged('x')).toEqual(['a', 'b']);
  expect(tagged('x', 'y')).toEqual(['b']);
  expect(tagged('z')).toEqual([]);
});

it('keeps branches below what they came from, unless they are pinned', () => {
  const a = [
    space('root', { createdAt: 1 }),
    space('b1', { treeId: 'root', createdAt: 2 }),
    space('b2', { treeId: 'root', createdAt: 3, state: 'failed', unseen: true, project: '/other' }),
    space('x'),
  ];
  expect(drawn(lines(a))).toEqual(['root', 'x']);
  expect(lines(a)[0]).toMatchObject({ mark: 'failed', branches: 2, open: false });
  expect(drawn(lines(a, { selected: 'b1' }))).toEqual(['root', '└b1', '└b2', 'x']);
  expect(drawn(lines(a, { selected: 'b1', opened: { 'tree:root': false } }))).toEqual(['root', 'x']);
  const pinned = lines(a, { order: { pins: ['b2'], projects: [] }, selected: 'root' });
  expect(drawn(pinned)).toEqual(['▾pinned 1', ' b2', '▾loom 3', ' root', ' └b1', ' x']);
  expect(lineOf(lines(a), 'b2')).toBe(0);
  const asked = a.map((one) => (one.id === 'b1' ? { ...one, state: 'waiting' as const } : one));
  expect(lines(asked)[0]).toMatchObject({ mark: 'waiting', asks: 'b1' });
  expect(lines(asked, { selected: 'root' })[0]).toMatchObject({ mark: 'idle', asks: '' });
});

it('sorts by when a space was created, and by its name as people do', () => {
  const a = [
    space('1', { title: 'part 10', createdAt: 1 }),
    space('2', { title: 'Part 2', createdAt: 3 }),
    space('3', { title: 'ärger', createdAt: 2 }),
  ];
  const by = (sort: 'created' | 'name') => drawn(lines(a, { view: { ...plainView, sort } }));
  expect(by('created')).toEqual(['2', '3', '1']);
  expect(by('name')).toEqual(['3', '2', '1']);
});

it('groups by the days of the calendar', () => {
  const hour = 60 * 60 * 1000;
  const times = [
    today + hour,
    today,
    today - 1,
    today - 25 * hour,
    today - 8 * 24 * hour,
    0,
    today + 90 * hour,
  ];
  const a = times.map((lastActivity, i) => space(`s${i}`, { lastActivity }));
  const view = { ...plainView, group: 'time' as const };
  expect(drawn(lines(a, { view }))).toEqual([
    ...['▾today 3', ' s6', ' s0', ' s1', '▾yesterday 1', ' s2', '▾week 1', ' s3', '▾month 1', ' s4'],
    ...['▾older 1', ' s5'],
  ]);
  // Including changes of daylight saving time.
  for (const day of ['2026-03-29', '2026-03-30', '2026-10-25', '2026-10-26']) {
    const midnight = startOfDay(Date.parse(`${day}T12:00:00`));
    expect(ageOf(midnight - 1, midnight)).toBe('yesterday');
    expect(ageOf(startOfDay(midnight - 1), midnight)).toBe('yesterday');
    expect(ageOf(startOfDay(midnight - 1) - 1, midnight)).toBe('week');
  }
});

it('tells folders of the same name apart', () => {
  const names = namesOf([
    '/w/api',
    '/home/api',
    '/web',
    '/x/w/api',
    '/',
    '',
    'C:\\code\\web2',
    '/deep/w/web2',
  ]);
  expect([...names]).toEqual(
    expect.arrayContaining([
      ['/home/api', 'home/api'],
      ['/web', 'web'],
      ['/x/w/api', 'x/w/api'],
      ['/w/api', 'w/api'],
      ['/', '/'],
      ['', ''],
      ['C:\\code\\web2', 'code/web2'],
      ['/deep/w/web2', 'w/web2'],
    ]),
  );
});

it('finds by title, agent, project and tag', () => {
  const a = [
    space('a', { title: 'Fix it', tags: ['t'] }),
    space('b', { project: '/x/Web', agentName: 'Alma' }),
  ];
  const tags = new Map([['t', 'Release']]);
  const ids = (text: string) => searchSpaces(a, text.split(' '), tags).map(({ id }) => id);
  expect(ids('fix')).toEqual(['a']);
  expect(ids('rel fix')).toEqual(['a']);
  expect(ids('web alma')).toEqual(['b']);
  expect(ids('loom web')).toEqual([]);
});

it('goes to what is typed', () => {
  const words = ['Apples', 'Pears', 'apricots', 'Plums', 'Äpfel'];
  expect(typeAhead(words, 'a', 0)).toBe(2);
  expect(typeAhead(words, 'aa', 2)).toBe(0);
  expect(typeAhead(words, 'ap', 2)).toBe(2);
  expect(typeAhead(words, 'app', 2)).toBe(0);
  expect(typeAhead(words, 'ä', 0)).toBe(4);
  expect(typeAhead(words, 'zz', 0)).toBe(-1);
  expect(typeAhead([], 'a', -1)).toBe(-1);
});

it('moves an entry by a place as long as there is room', () => {
  expect(movedBy(['a', 'b', 'c'], 'b', 1)).toEqual(['a', 'c', 'b']);
  expect(movedBy(['a', 'b', 'c'], 'b', -1)).toEqual(['b', 'a', 'c']);
  expect(movedBy(['a', 'b'], 'b', 1)).toEqual(['a', 'b']);
  expect(movedBy(['a', 'b'], 'x', 1)).toEqual(['a', 'b']);
});

// With any pins, tags, branches and closed groups, each space is listed and counted at most once.
it('lists each space once', () => {
  const random = new Random(7);
  for (let round = 0; round < 300; round++) {
    const spaces = Array.from({ length: random.below(30) }, (_, i) =>
      space(`s${i}`, {
        treeId: `s${random.below(i + 1)}`,
        project: `/p/${random.below(4)}`,
        madeBy: (['user', 'agent', 'schedule', 'import'] as const)[random.below(4)] ?? 'user',
        tags: random.below(2) === 0 ? ['x'] : [],
        lastActivity: today - random.below(40) * 24 * 3600 * 1000,
      }),
    );
    const view = {
      group: random.below(2) === 0 ? ('time' as const) : ('project' as const),
      sort: (['activity', 'created', 'name'] as const)[random.below(3)] ?? 'activity',
      projects: random.below(2) === 0 ? ('hand' as const) : ('activity' as const),
      tags: random.below(4) === 0 ? ['x'] : [],
      imported: random.below(2) === 0,
    };
    const order = { pins: [`s${random.below(9)}`, `s${random.below(9)}`], projects: ['/p/2', '/p/1'] };
    const opened = Object.fromEntries(
      ['pinned', 'others', 'project:/p/1', 'time:today', 'tree:s1'].map((key) => [
        key,
        random.below(2) === 0,
      ]),
    );
    const list = lines(spaces, { view, order, opened, selected: `s${random.below(9)}` });
    const keys = list.map(({ key }) => key);
    expect(new Set(keys).size).toBe(keys.length);
    const wanted = spaces.filter(
      ({ id, tags, madeBy }) =>
        view.tags.every((tag) => tags.includes(tag)) &&
        (view.imported || madeBy !== 'import' || order.pins.includes(id)),
    );
    const counted = list.map((line) =>
      line.kind === 'group' ? line.count : line.alone ? 1 + line.branches : 0,
    );
    if (counted.some((count) => count > 0)) {
      expect(counted.reduce((sum, count) => sum + count, 0)).toBe(wanted.length);
    }
    expect(new Set(projectsOf(list)).size).toBe(projectsOf(list).length);
    for (const { id } of wanted) expect(lineOf(list, id)).toBeGreaterThanOrEqual(0);
  }
});

// What agents do while the list order is frozen: they work, finish, ask, and rename spaces.
it('keeps the order of a list that is held', () => {
  const random = new Random(11);
  const one = <T>(of: readonly T[]): T => of[random.below(of.length)] as T;
  for (let round = 0; round < 300; round++) {
    const view = {
      ...plainView,
      group: one(['time', 'project'] as const),
      sort: one(['activity', 'created', 'name'] as const),
      projects: one(['hand', 'activity'] as const),
    };
    const order = { pins: [`s${random.below(9)}`], projects: ['/p/2', '/p/1'] };
    const spaces = Array.from({ length: 1 + random.below(20) }, (_, i) =>
      space(`s${i}`, {
        treeId: `s${random.below(i + 1)}`,
        project: `/p/${random.below(4)}`,
        madeBy: one(['user', 'agent'] as const),
        lastActivity: today - random.below(40) * 24 * 3600 * 1000,
      }),
    );
    const shown = lines(spaces, { view, order });
    const before = new Map(
      spaces.toSorted((a, b) => b.lastActivity - a.lastActivity).map((space) => [space.id, space]),
    );
    const now = spaces.map((space) => {
      if (random.below(2) === 0) return space;
      const state = one(['idle', 'running', 'waiting', 'failed'] as const);
      return {
        ...space,
        state,
        unseen: true,
        lastActivity: today + random.below(999),
        title: `t${random.below(99)}`,
      };
    });
    // The server sorts spaces by activity.
    now.sort((a, b) => b.lastActivity - a.lastActivity);
    const held = withCurrentSpaces(
      linesOf({ ...{ spaces: inHeldOrder(now, before), order, view }, opened: {}, selected: null, today }),
      now,
    );
    expect(drawn(held).map((line) => line.replace(/ !\d+$/, ''))).toEqual(drawn(shown));
    for (const line of held)
      if (line.kind === 'space') expect(line.space).toBe(now.find(({ id }) => id === line.key));
    // A new space moves none that is above it in its project.
    const added = [space('new', { project: '/new', lastActivity: today + 9999 }), ...now];
    const more = linesOf({
      ...{ spaces: inHeldOrder(added, before), order, view },
      opened: {},
      selected: null,
      today,
    });
    const left = more.filter(({ key }) => before.has(key)).map(({ key }) => key);
    expect(left).toEqual(shown.filter(({ key }) => before.has(key)).map(({ key }) => key));
  }
});
