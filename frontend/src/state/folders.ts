import type { Space } from '../transport/api';

/** Where a further space can begin, last used first. In a worktree it is what that was made from; a folder that Weft has made is for its space alone. */
export function recentFolders(spaces: readonly Space[]): string[] {
  const own = spaces.filter(({ noFolder }) => !noFolder);
  return [...new Set(own.map(({ folder, worktree }) => worktree?.repository ?? folder))];
}
