import type { ToolCall } from '../../transcript/model';
import { PartialJson } from '../../transcript/partialjson';
import type { Json } from '../../transcript/types';

const longest = 64 << 10;

/** JSON as a person reads it. */
export function pretty(value: Json): string {
  const text = JSON.stringify(value, null, 2);
  return text.length > longest ? `${text.slice(0, longest)}\n…` : text;
}

/** The command line that a call runs, if it is about one. */
export function commandOf(call: ToolCall): string {
  const { input } = call;
  if (input === null || typeof input !== 'object' || Array.isArray(input)) return '';
  const command = input['command'] ?? input['cmd'];
  const commands = input['commands'];
  if (call.kind !== 'execute' && command === undefined && commands === undefined) return '';
  if (command === undefined && Array.isArray(commands) && commands.length > 0 && commands.every(isText))
    return commands.join('\n');
  if (typeof command === 'string') {
    const args = input['args'];
    const rest = Array.isArray(args) ? args.filter((arg) => typeof arg === 'string') : [];
    return [command, ...rest.map(quoted)].join(' ');
  }
  if (Array.isArray(command) && command.every((part) => typeof part === 'string')) {
    // A shell that is given a script: the script is what will happen.
    const script = command[2];
    if (command.length === 3 && /^-\w*c$/.test(command[1] ?? '') && script !== undefined) return script;
    return command.map(quoted).join(' ');
  }
  return '';
}

function isText(value: Json): value is string {
  return typeof value === 'string';
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
