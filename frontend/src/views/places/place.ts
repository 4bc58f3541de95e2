import type { FilePlace } from '../../state/shown';

/** "src/a.ts:12", "src/a.ts:12:3", "src/a.ts:12-20", "src/a.ts:L12-L20", "src/a.ts#L12", "src/a.ts#L12C3-L20", "src/a.ts(12,3)". */
const suffix =
  /(?::L?(\d{1,7})(?::(\d{1,5}))?(?:[-–]L?\d{1,7}(?::\d{1,5})?)?|#L(\d{1,7})(?:C(\d{1,5}))?(?:-L?\d{1,7}(?:C\d{1,5})?)?|\((\d{1,7})(?:,\s?(\d{1,5}))?\)):?$/;

/** Parses a text that is nothing but a path with an optional position. */
export function parsePlace(text: string): FilePlace {
  const found = suffix.exec(text);
  if (found === null || found.index === 0) return { path: text, line: 0, column: 0 };
  const [, line, column, hashLine, hashColumn, roundLine, roundColumn] = found;
  return {
    path: text.slice(0, found.index),
    line: Number(line ?? hashLine ?? roundLine),
    column: Number(column ?? hashColumn ?? roundColumn ?? 0),
  };
}

/** Formats a location: "src/a.ts:12:3". */
export function written({ path, line, column }: FilePlace): string {
  return `${path}${line > 0 ? `:${line}` : ''}${line > 0 && column > 0 ? `:${column}` : ''}`;
}

/** Returns the absolute path for one relative to a folder. */
export function absolute(path: string, folder: string): string {
  if (/^(\/|[a-z]:[\\/]|\\\\)/i.test(path) || folder === '') return path;
  return `${folder.replace(/\/$/, '')}/${path.replace(/^\.\//, '')}`;
}

const longest = 300;
const noPath = /^v?\d+(\.\d+)*$|^\.+$|^[a-z]+:\/\/|[\n\r\0<>|*?"]|^\s|\s$|\/$/i;
/** File names without an extension or a folder. */
const bare =
  /^(Makefile|Dockerfile|LICENSE|README|CHANGELOG|Justfile|Gemfile|Rakefile|Procfile|Jenkinsfile|Vagrantfile)$/i;

/** Returns the location that a text may name; whether the file exists is checked on disk. */
export function candidate(text: string): FilePlace | null {
  if (text.length < 2 || text.length > longest || noPath.test(text)) return null;
  const place = parsePlace(text);
  return /[/.\\]/.test(place.path) || bare.test(place.path) ? place : null;
}

/** Other URL schemes, and network paths. */
const elsewhere = /^[a-z][a-z0-9+.-]+:|^[\\/]{2}/i;
const fileAddress = /^file:\/\/(?:localhost)?(?=\/)/i;

/** Returns the location in a link address: a path as agents write it, or a file: URL. Null for anything else. */
export function placeAt(address: string): FilePlace | null {
  let path = address;
  if (fileAddress.test(address)) {
    const { path: encoded, ...at } = parsePlace(address.replace(fileAddress, ''));
    // URLs write Windows paths as "/C:/a.ts".
    path = written({ ...at, path: decoded(encoded).replace(/^\/(?=[a-z]:)/i, '') });
  } else path = path.replace(/\?[\w=&-]*(?=#L\d)/, ''); // "?plain=1" selects a view on GitHub
  const place = candidate(path) === null ? null : parsePlace(path);
  return place === null || elsewhere.test(place.path) ? null : place;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

export interface TextRange {
  from: number;
  to: number;
  place: FilePlace;
}

const most = 3;
const around = /[\s`'"()[\]{},;]+/g;

/** Possible paths in a title such as "Read src/a.ts:12", in order. */
export function candidates(title: string): TextRange[] {
  const found: TextRange[] = [];
  let from = 0;
  const take = (to: number) => {
    const word = title.slice(from, to).replace(/[.:]+$/, '');
    const place = candidate(word);
    if (place !== null && found.length < most) found.push({ from, to: from + word.length, place });
  };
  for (const gap of title.matchAll(around)) {
    take(gap.index);
    from = gap.index + gap[0].length;
  }
  take(title.length);
  return found;
}

/** Finds a file in a title by any of its spellings, with the line number after it. */
export function namedIn(title: string, ways: readonly string[]): { from: number; to: number } | null {
  for (const way of ways) {
    if (way.length < 2) continue;
    for (let from = title.indexOf(way); from >= 0; from = title.indexOf(way, from + 1)) {
      const before = title.charAt(from - 1);
      const rest = title.slice(from + way.length);
      if ((before !== '' && !/[\s`'"([]/.test(before)) || /^[\w/\\]/.test(rest)) continue;
      const line = /^(:\d+(:\d+|[-–]\d+)?|#L\d+)/.exec(rest)?.[0] ?? '';
      return { from, to: from + way.length + line.length };
    }
  }
  return null;
}
