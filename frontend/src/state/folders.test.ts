import { expect, it } from 'vitest';
import type { Space } from '../transport/api';
import { recentFolders } from './folders';

const space = (folder: string, more: Partial<Space> = {}) =>
  ({ folder, noFolder: false, worktree: null, ...more }) as Space;

it('offers each folder once, and none that is of one space alone', () => {
  const worktree = { repository: '/home/me/pears' } as Space['worktree'];
  const spaces = [
    space('/data/spaces/x1', { noFolder: true }),
    space('/home/me/apples'),
    space('/data/trees/pears-1', { worktree }),
    space('/home/me/apples'),
  ];
  expect(recentFolders(spaces)).toEqual(['/home/me/apples', '/home/me/pears']);
});
