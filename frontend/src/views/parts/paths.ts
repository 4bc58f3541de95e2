/** A path with the home folder as "~". */
export function shortPath(path: string, home: string): string {
  if (home !== '' && path === home) return '~';
  return home !== '' && path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path;
}

export function lastName(path: string): string {
  return path.split(/[\\/]/).filter(Boolean).at(-1) ?? path;
}
