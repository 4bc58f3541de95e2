import { describe, expect, test } from 'vitest';
import type { Space } from '../transport/api';
import { countRequests, firstFor, inboxOf, indexIn } from './inbox';

const space = (id: string, change: Partial<Space>): Space => ({
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
  treeId: id,
  parentId: '',
  ...change,
});
const wait = (requestId: string, at: number) => ({ requestId, title: `May ${requestId}`, kind: 'edit', at });

const spaces = [
  space('quiet', {}),
  space('done', { unseen: true, lastActivity: 5 }),
  space('done later', { unseen: true, lastActivity: 6 }),
  space('broken', { unseen: true, state: 'failed', lastActivity: 1 }),
  space('again', { unseen: true, state: 'running' }),
  space('asks', { state: 'waiting', waits: [wait('b', 3), wait('c', 9)] }),
  space('asks too', { state: 'waiting', waits: [wait('a', 2)] }),
  space('ended and asks', { state: 'failed', unseen: true, lastActivity: 7, waits: [wait('d', 10)] }),
];
const told = (list: ReturnType<typeof inboxOf>) =>
  list.map(({ kind, space: { id }, title }) => `${kind} ${id} ${title}`);

test('requests come first, then failures, then what finished', () => {
  expect(told(inboxOf(spaces))).toEqual([
    'request asks too May a',
    'request asks May b',
    'request asks May c',
    'request ended and asks May d',
    'failed broken ',
    'finished done later ',
    'finished done ',
  ]);
});

test('requests are counted, and more than are listed said to be more', () => {
  expect(countRequests(spaces)).toEqual({ count: 4, more: false });
  expect(countRequests([])).toEqual({ count: 0, more: false });
  const many = space('many', { waits: Array.from({ length: 20 }, (_, i) => wait(`r${i}`, i)) });
  expect(countRequests([many, ...spaces])).toEqual({ count: 24, more: true });
});

describe('the first entry', () => {
  const list = inboxOf(spaces);
  test('is what waits in the space that the user is in', () => {
    expect(firstFor(list, 'asks', false)?.key).toBe('b');
  });
  test('is elsewhere for a user who is at a request already', () => {
    expect(firstFor(list, 'asks', true)?.key).toBe('a');
    expect(firstFor(list, 'asks too', true)?.key).toBe('b');
  });
  test('is the oldest request for a user who is in no such space', () => {
    expect(firstFor(list, null, false)?.key).toBe('a');
    expect(firstFor(list, 'done', false)?.key).toBe('a');
  });
  test('is in the same space where nothing waits elsewhere', () => {
    expect(firstFor(inboxOf([space('done', { unseen: true })]), 'done', false)?.space.id).toBe('done');
    expect(firstFor(inboxOf([space('quiet', {})]), null, false)).toBeNull();
  });
});

test('how a space ended is the same entry when it ends again, a request never is another one', () => {
  const before = inboxOf(spaces);
  const after = inboxOf([
    space('done', { unseen: true, lastActivity: 50 }),
    space('asks', { waits: [wait('c', 9)] }),
  ]);
  const at = (id: string) => before.find(({ key }) => key.startsWith(id)) ?? null;
  expect(indexIn(after, at('done:'))).toBe(1);
  expect(indexIn(after, at('b'))).toBe(-1);
  expect(indexIn(after, at('c'))).toBe(0);
  expect(indexIn(after, null)).toBe(-1);
});
