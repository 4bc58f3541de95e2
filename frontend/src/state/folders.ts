import type { Space } from '../transport/api';

/**
 * Folders for another space, most recently used first. For a worktree, the folder that it was created from; folders
 * that Weft created belong to their space and are left out.
 */
export function recentFolders(spaces: readonly Space[]): string[] {
  const own = spaces.filter(({ noFolder }) => !noFolder);
  return [...new Set(own.map(({ folder, worktree }) => worktree?.repository ?? folder))];
}
