import { PartialJson } from '../../transcript/partialjson';
import type { Json } from '../../transcript/types';

const longest = 64 << 10;

/** Formatted JSON. */
export function pretty(value: Json): string {
  const text = JSON.stringify(value, null, 2);
  return text.length > longest ? `${text.slice(0, longest)}\n…` : text;
}

export function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

/** The texts of an unfinished input, by name; null if it can't be parsed. */
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

/** Names the target space of a display. It is no argument of its tool, and is removed from the complete input. */
export const routing = 'targetSpaceId';

/** Removes the target space from an unfinished input, as far as it is written. */
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
      // Removes the preceding comma if nothing follows.
      const before = value[1] === undefined ? text.slice(0, at).replace(/,\s*$/, '') : text.slice(0, at);
      return before + rest;
    }
    if (found[0] === '{' || found[0] === '[') depth++;
    else if (found[0] !== ',') depth--;
  }
  return text;
}

/** The fields of a small flat input; null for anything else. */
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
