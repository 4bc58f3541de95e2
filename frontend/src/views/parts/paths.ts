/** A path with the home folder as "~". */
export function shortPath(path: string, home: string): string {
  if (home !== '' && path === home) return '~';
  return home !== '' && path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path;
}

/** A path as it is seen from a folder: without it where it is inside, else as shortPath. */
export function pathFrom(path: string, folder: string, home: string): string {
  return folder !== '' && path.startsWith(`${folder}/`)
    ? path.slice(folder.length + 1)
    : shortPath(path, home);
}

export function lastName(path: string): string {
  return path.split(/[\\/]/).filter(Boolean).at(-1) ?? path;
}
