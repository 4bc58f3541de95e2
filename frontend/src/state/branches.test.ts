import { expect, test } from 'vitest';
import type { Fork, Space } from '../transport/api';
import { arrivalDirection, arrived, forksOf, goAlong, groupsOf, markOf, markOfAll } from './branches';

const space = (id: string, treeId: string, change: Partial<Space> = {}): Space => ({
  id,
  title: id,
  folder: '/',
  noFolder: false,
  importedFrom: '',
  agentId: 'a',
  agentName: 'A',
  members: [],
  state: 'idle',
  archived: false,
  createdAt: 0,
  lastActivity: 0,
  unseen: false,
  waits: [],
  permissions: 'rules',
  worktree: null,
  project: '/',
  madeBy: 'user',
  tags: [],
  draft: false,
  treeId,
  parentId: id === treeId ? '' : treeId,
  ...change,
});

const shape = (spaces: readonly Space[]) =>
  groupsOf(spaces).map(({ root, branches }) => [root.id, ...branches.map(({ id }) => id)].join(' '));

test('a tree stands where its space that was used last does, its root first', () => {
  const list = [
    space('b2', 'b', { createdAt: 9 }),
    space('a', 'a'),
    space('b', 'b', { createdAt: 7 }),
    space('b1', 'b', { createdAt: 8 }),
    space('c', 'c'),
  ];
  expect(shape(list)).toEqual(['b b1 b2', 'a', 'c']);
});

test('without its root the oldest branch stands for a tree', () => {
  const list = [space('b2', 'b', { createdAt: 9 }), space('b1', 'b', { createdAt: 8 })];
  expect(shape(list)).toEqual(['b1 b2']);
});

test('a closed tree shows what is most urgent in it', () => {
  const idle = space('a', 'a');
  expect(markOfAll([idle])).toBe('idle');
  expect(markOfAll([idle, space('b', 'a', { unseen: true })])).toBe('unseen');
  expect(markOfAll([space('b', 'a', { state: 'running' }), space('c', 'a', { state: 'waiting' })])).toBe(
    'waiting',
  );
});

test('a request is the mark of its space whatever became of the turn, and an end is one until it was seen', () => {
  const waits = [{ requestId: 'r', title: '', kind: 'edit', at: 1 }];
  for (const state of ['idle', 'running', 'failed', 'waiting'] as const)
    for (const unseen of [true, false])
      expect(markOf(space('a', 'a', { state, unseen, waits }))).toBe('waiting');
  const mark = (state: Space['state'], unseen: boolean) => markOf(space('a', 'a', { state, unseen }));
  expect([mark('failed', true), mark('failed', false)]).toEqual(['failed', 'idle']);
  expect([mark('idle', true), mark('idle', false)]).toEqual(['unseen', 'idle']);
  expect([mark('running', true), mark('running', false)]).toEqual(['running', 'running']);
});

test('who goes along a fork is known at its other end only, and once', () => {
  const fork: Fork = { messageId: 'm', spaces: ['a', 'b'], at: 1 };
  expect([...forksOf({ spaces: [], forks: [fork] }).keys()]).toEqual(['m']);
  expect(forksOf(null).size).toBe(0);
  expect(arrivalDirection('b', fork)).toBeNull();
  goAlong('b', 'a', 1);
  expect(arrivalDirection('a', fork)).toBeNull();
  expect(arrivalDirection('b', { ...fork, spaces: ['b', 'c'] })).toBeNull();
  expect(arrivalDirection('b', fork)).toBe(1);
  arrived();
  expect(arrivalDirection('b', fork)).toBeNull();
});
