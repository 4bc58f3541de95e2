/** Returns a path with "~" for the home folder. */
export function shortPath(path: string, home: string): string {
  if (home !== '' && path === home) return '~';
  return home !== '' && path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path;
}

/** Returns a path relative to a folder if it is inside, otherwise like shortPath. */
export function pathFrom(path: string, folder: string, home: string): string {
  return folder !== '' && path.startsWith(`${folder}/`)
    ? path.slice(folder.length + 1)
    : shortPath(path, home);
}

export function lastName(path: string): string {
  return path.split(/[\\/]/).filter(Boolean).at(-1) ?? path;
}
