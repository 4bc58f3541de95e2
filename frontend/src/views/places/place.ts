import type { FilePlace } from '../../state/shown';

/** "src/a.ts:12", "src/a.ts:12:3", "src/a.ts:12-20", "src/a.ts:L12-L20", "src/a.ts#L12", "src/a.ts#L12C3-L20", "src/a.ts(12,3)". */
const suffix =
  /(?::L?(\d{1,7})(?::(\d{1,5}))?(?:[-–]L?\d{1,7}(?::\d{1,5})?)?|#L(\d{1,7})(?:C(\d{1,5}))?(?:-L?\d{1,7}(?:C\d{1,5})?)?|\((\d{1,7})(?:,\s?(\d{1,5}))?\)):?$/;

/** A path and where in the file, of a text that is nothing else. */
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

/** A place as it is written: "src/a.ts:12:3". */
export function written({ path, line, column }: FilePlace): string {
  return `${path}${line > 0 ? `:${line}` : ''}${line > 0 && column > 0 ? `:${column}` : ''}`;
}

/** A path with the folder that it is seen from. */
export function absolute(path: string, folder: string): string {
  if (/^(\/|[a-z]:[\\/]|\\\\)/i.test(path) || folder === '') return path;
  return `${folder.replace(/\/$/, '')}/${path.replace(/^\.\//, '')}`;
}

const longest = 300;
const noPath = /^v?\d+(\.\d+)*$|^\.+$|^[a-z]+:\/\/|[\n\r\0<>|*?"]|^\s|\s$|\/$/i;
/** Files that have neither an ending nor a folder in their names. */
const bare =
  /^(Makefile|Dockerfile|LICENSE|README|CHANGELOG|Justfile|Gemfile|Rakefile|Procfile|Jenkinsfile|Vagrantfile)$/i;

/** The place that a text may name; whether there is such a file, only the disk knows. */
export function candidate(text: string): FilePlace | null {
  if (text.length < 2 || text.length > longest || noPath.test(text)) return null;
  const place = parsePlace(text);
  return /[/.\\]/.test(place.path) || bare.test(place.path) ? place : null;
}

/** Other kinds of addresses, and folders of other computers. */
const elsewhere = /^[a-z][a-z0-9+.-]+:|^[\\/]{2}/i;
const fileAddress = /^file:\/\/(?:localhost)?(?=\/)/i;

/** The place that the address of a link names: a path as an agent writes it, or one as a file: address. Null for anything else. */
export function placeAt(address: string): FilePlace | null {
  let path = address;
  if (fileAddress.test(address)) {
    const { path: encoded, ...at } = parsePlace(address.replace(fileAddress, ''));
    // "/C:/a.ts" is how an address writes a path of Windows.
    path = written({ ...at, path: decoded(encoded).replace(/^\/(?=[a-z]:)/i, '') });
  } else path = path.replace(/\?[\w=&-]*(?=#L\d)/, ''); // "?plain=1" says how a page shows the file
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

export interface Stretch {
  from: number;
  to: number;
  place: FilePlace;
}

const most = 3;
const around = /[\s`'"()[\]{},;]+/g;

/** What may be paths in a title, as "Read src/a.ts:12", in its order. */
export function candidates(title: string): Stretch[] {
  const found: Stretch[] = [];
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

/** Where a title names a file, by any of the ways in which it can be written, with the line that follows. */
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
