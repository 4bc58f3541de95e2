import { expect, it } from 'vitest';
import type { AppEvent, Space } from '../transport/api';
import { outdatedBy } from './invalidate';

const space = (change: Partial<Space> = {}): Space =>
  ({
    id: 's1',
    treeId: 't1',
    title: 'One',
    state: 'idle',
    archived: false,
    lastActivity: 1,
    ...change,
  }) as Space;

const told = (change: Partial<Space> = {}): AppEvent => ({ type: 'space', space: space(change) });
const branches = 'branches/t1';
const changes = 'changes/s1';

it.each<[string, AppEvent, Space | undefined, string[]]>([
  ['rules', { type: 'permission_rules' }, undefined, ['rules']],
  [
    'MCP servers',
    { type: 'mcp_servers' },
    undefined,
    ['background', 'backups', 'editors', 'mcp-servers', 'recall', 'secrets'],
  ],
  ['updates', { type: 'updates' }, undefined, ['updates']],
  ['the registry', { type: 'registry' }, undefined, ['registry']],
  ['agents', { type: 'agents', agents: [] }, undefined, ['secrets']],
  ['changed files', { type: 'changes', spaceId: 's1', files: 2 }, undefined, [changes]],
  ['a space that stays as it was', told(), space(), []],
  ['activity in a space', told({ lastActivity: 2 }), space(), ['run']],
  ['a turn that begins', told({ state: 'running' }), space(), [branches, changes, 'run']],
  ['a turn that asks', told({ state: 'waiting' }), space({ state: 'running' }), ['run']],
  ['a turn that ends', told({ state: 'failed' }), space({ state: 'waiting' }), [branches, changes, 'run']],
  ['another title', told({ title: 'Two' }), space(), [branches, 'worktrees']],
  ['a new space', told(), undefined, ['archived', branches, changes, 'run', 'worktrees']],
  ['an archived space', told({ archived: true }), space(), ['archived', 'worktrees']],
  [
    'a deleted space',
    { type: 'space_removed', spaceId: 's1' },
    space(),
    ['archived', branches, 'run', 'worktrees'],
  ],
  ['a space to show', { type: 'show', spaceId: 's1' }, space(), []],
])('an event about %s makes only what it is about outdated', (_, event, before, outdated) => {
  expect(
    outdatedBy(event, before)
      .map((key) => key.join('/'))
      .toSorted(),
  ).toEqual(outdated);
});
