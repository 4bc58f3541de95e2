import { PartialJson } from '../../transcript/partialjson';
import type { Json } from '../../transcript/types';

const longest = 64 << 10;

/** JSON as a user reads it. */
export function pretty(value: Json): string {
  const text = JSON.stringify(value, null, 2);
  return text.length > longest ? `${text.slice(0, longest)}\n…` : text;
}

export function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

/** The texts of an input that was never finished, by name; null where nothing can be read of it. */
export function unfinishedRows(text: string): [string, string][] | null {
  const rows = new Map<string, string>();
  const reader = new PartialJson({
    started: (field) => {
      for (const name of rows.keys()) if (name === field || name.startsWith(`${field}/`)) rows.delete(name);
    },
    text: (field, path, more) => {
      const name = `${field}${path}`;
      rows.set(name, (rows.get(name) ?? '') + more);
    },
    complete: () => {},
    ended: () => {},
  });
  reader.write(text);
  return rows.size === 0 || rows.size > 8 ? null : [...rows];
}

/** What says where a display is shown. It is no argument of its tool, and gone when the input is complete. */
export const routing = 'targetSpaceId';

/** An unfinished input without what says where it is shown, as far as that is written. */
export function withoutRouting(text: string): string {
  let depth = 0;
  const next = /["{}[\],]/g;
  for (let found = next.exec(text); found !== null; found = next.exec(text)) {
    const at = found.index;
    if (found[0] === '"') {
      const string = /^"(?:[^"\\]|\\.)*"?/s.exec(text.slice(at))?.[0] ?? '"';
      next.lastIndex = at + string.length;
      if (depth !== 1 || string !== `"${routing}"`) continue;
      const value = /^\s*:\s*(?:"(?:[^"\\]|\\.)*(?:"|\\?$)|[a-z]*)\s*(,\s*)?/s.exec(
        text.slice(next.lastIndex),
      );
      if (value === null) continue;
      const rest = text.slice(next.lastIndex + value[0].length);
      // The comma before it goes where nothing follows.
      const before = value[1] === undefined ? text.slice(0, at).replace(/,\s*$/, '') : text.slice(0, at);
      return before + rest;
    }
    if (found[0] === '{' || found[0] === '[') depth++;
    else if (found[0] !== ',') depth--;
  }
  return text;
}

/** The fields of a flat input with few of them; null where it is neither. */
export function inputRows(input: Json | undefined): [string, string][] | null {
  if (input === undefined || input === null || typeof input !== 'object' || Array.isArray(input)) return null;
  const rows: [string, string][] = [];
  for (const [name, value] of Object.entries(input)) {
    if (value !== null && typeof value === 'object') return null;
    const text = String(value);
    if (text.length > longest) return null;
    rows.push([name, text]);
  }
  return rows.length === 0 || rows.length > 8 ? null : rows;
}
