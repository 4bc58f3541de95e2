import { expect, it } from 'vitest';
import { Random } from '../markdown/testing/random';
import type { Space } from '../transport/api';
import {
  ageOf,
  found,
  type Line,
  type ListInput,
  lineOf,
  linesOf,
  movedBy,
  namesOf,
  plainView,
  startOfDay,
  typedTo,
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

/** The lines as words: groups with their count, and what is in them indented. */
const drawn = (list: readonly Line[]) =>
  list.map((line) => {
    if (line.kind === 'space') return `${line.group === '' ? '' : ' '}${line.nested ? '└' : ''}${line.key}`;
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
  ];
  const view = { ...plainView, projects: 'hand' as const };
  const order = { pins: [], projects: ['/c', '/gone', '/b'] };
  const names = drawn(lines(a, { view, order })).filter((one) => one.startsWith('▾'));
  expect(names).toEqual(['▾loom 1', '▾ 1', '▾c 1', '▾b 1']);
});

it('says of a closed group what waits in it', () => {
  const a = [
    space('a', { state: 'waiting' }),
    space('b', { state: 'running' }),
    space('c', { project: '/c', unseen: true }),
  ];
  const list = lines(a, { opened: { 'project:/p/loom': false, 'project:/c': false } });
  expect(drawn(list)).toEqual(['▸loom 2 !1', '▸c 1']);
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
  expect(drawn(own)).toEqual(['▾pinned 2', ' d', ' b', '▾loom 1', ' a', '▾others 2', ' c', ' e']);
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
    space('b2', { treeId: 'root', createdAt: 3, state: 'failed', project: '/other' }),
    space('x'),
  ];
  expect(drawn(lines(a))).toEqual(['root', 'x']);
  expect(lines(a)[0]).toMatchObject({ mark: 'failed', branches: 2, open: false });
  expect(drawn(lines(a, { selected: 'b1' }))).toEqual(['root', '└b1', '└b2', 'x']);
  expect(drawn(lines(a, { selected: 'b1', opened: { 'tree:root': false } }))).toEqual(['root', 'x']);
  const pinned = lines(a, { order: { pins: ['b2'], projects: [] }, selected: 'root' });
  expect(drawn(pinned)).toEqual(['▾pinned 1', ' b2', '▾loom 3', ' root', ' └b1', ' x']);
  expect(lineOf(lines(a), 'b2')).toBe(0);
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
  // Also over a change of the clocks.
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
  const ids = (text: string) => found(a, text.split(' '), tags).map(({ id }) => id);
  expect(ids('fix')).toEqual(['a']);
  expect(ids('rel fix')).toEqual(['a']);
  expect(ids('web alma')).toEqual(['b']);
  expect(ids('loom web')).toEqual([]);
});

it('goes to what is typed', () => {
  const words = ['Apples', 'Pears', 'apricots', 'Plums', 'Äpfel'];
  expect(typedTo(words, 'a', 0)).toBe(2);
  expect(typedTo(words, 'aa', 2)).toBe(0);
  expect(typedTo(words, 'ap', 2)).toBe(2);
  expect(typedTo(words, 'app', 2)).toBe(0);
  expect(typedTo(words, 'ä', 0)).toBe(4);
  expect(typedTo(words, 'zz', 0)).toBe(-1);
  expect(typedTo([], 'a', -1)).toBe(-1);
});

it('moves an entry by a place as long as there is room', () => {
  expect(movedBy(['a', 'b', 'c'], 'b', 1)).toEqual(['a', 'c', 'b']);
  expect(movedBy(['a', 'b', 'c'], 'b', -1)).toEqual(['b', 'a', 'c']);
  expect(movedBy(['a', 'b'], 'b', 1)).toEqual(['a', 'b']);
  expect(movedBy(['a', 'b'], 'x', 1)).toEqual(['a', 'b']);
});

// Whatever is pinned, tagged, branched and closed: each space is listed once at most, and counted once.
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
    const grouped = list.filter((line) => line.kind === 'group');
    if (grouped.length > 0) {
      expect(grouped.reduce((sum, { count }) => sum + count, 0)).toBe(wanted.length);
    }
    for (const { id } of wanted) expect(lineOf(list, id)).toBeGreaterThanOrEqual(0);
  }
});
