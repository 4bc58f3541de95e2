import { expect, test } from 'vitest';
import type { Space } from '../transport/api';
import { inboxOf, nextPending } from './inbox';

const space = (id: string, change: Partial<Space>): Space => ({
  id,
  title: id,
  folder: '/',
  noFolder: false,
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
];

test('requests come first, then failures, then what finished', () => {
  expect(inboxOf(spaces).map(({ kind, space: { id }, title }) => `${kind} ${id} ${title}`)).toEqual([
    'request asks too May a',
    'request asks May b',
    'request asks May c',
    'failed broken ',
    'finished done later ',
    'finished done ',
  ]);
});

test('the next one is elsewhere, if there is one elsewhere', () => {
  expect(nextPending(spaces, null)?.id).toBe('asks too');
  expect(nextPending(spaces, 'asks too')?.id).toBe('asks');
  expect(nextPending([space('done', { unseen: true })], 'done')?.id).toBe('done');
  expect(nextPending([space('quiet', {})], null)).toBeNull();
});
