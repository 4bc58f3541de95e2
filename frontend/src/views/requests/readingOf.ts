import type { Argument, Content, Json, Reading, Run } from '../../transcript/types';
import { quoted, routing } from '../tools/input';

// Older requests have no analysis by the broker. They are analyzed here from the call's raw input: less precisely, but
// with every argument.

export interface Asked {
  kind: string;
  input: Json | undefined;
  /** The folder of the space. */
  folder: string;
  locations: readonly { path: string }[];
}

const commandNames = /^(command|cmd|script|command_?line)$/i;
const folderNames = /^(cwd|workdir|working_?dir(ectory)?)$/i;
const envNames = /^env(ironment)?$/i;
const pathNames = /^((abs(olute)?_?|file_?|notebook_?|target_?)?path|file(_?name)?)$/i;
const raising =
  /sandbox|escalat|danger|bypass|unsafe|elevat|privileg|sudo|skip_?(permission|approval|confirm)|no_?verify|yolo|(auto|additional)_?(approv|permission)/i;
/** Arguments in which the agent describes the action; they are shown as its words. */
const wordNames = /^(description|justification|explanation|reason)$/i;

/** Analyzes what a call's input would do. */
export function readingOf({ kind, input, folder, locations }: Asked): Reading {
  const reading: Reading = { kind };
  const writes = kind === 'edit' || kind === 'delete' || kind === 'move';
  const files = new Set<string>();
  const other: Argument[] = [];
  if (Array.isArray(input) && kind === 'execute' && isWords(input)) reading.commands = [runOf(input)];
  else if (input === null || typeof input !== 'object' || Array.isArray(input)) {
    if (input !== undefined && input !== null) other.push({ name: 'input', value: told(input) });
  } else {
    let args: string[] | null = null;
    if (isWords(input['args']) && typeof input['command'] === 'string') args = input['args'];
    for (const [name, value] of Object.entries(input)) {
      if (name === 'args' && args !== null) continue;
      if (commandNames.test(name) && typeof value === 'string' && value !== '')
        reading.commands = [...(reading.commands ?? []), lineOf(value, name === 'command' ? args : null)];
      else if (commandNames.test(name) && isWords(value) && value.length > 0)
        reading.commands = [...(reading.commands ?? []), runOf(value)];
      else if (
        folderNames.test(name) &&
        typeof value === 'string' &&
        value !== '' &&
        reading.folder === undefined
      ) {
        if (value === folder) continue;
        reading.folder = value;
        reading.outside = isOutside(value, folder);
      } else if (envNames.test(name) && variablesOf(value) !== null)
        reading.env = [...(reading.env ?? []), ...(variablesOf(value) ?? [])];
      else if (raising.test(name) && isOn(value))
        reading.raises = [...(reading.raises ?? []), { name, value: told(value) }];
      else if (pathNames.test(name) && typeof value === 'string' && value !== '') files.add(value);
      else if (!(wordNames.test(name) && typeof value === 'string')) other.push({ name, value: told(value) });
    }
  }
  for (const { path } of locations) files.add(path);
  if (files.size > 0)
    reading.files = [...files].map((path) => ({
      path,
      write: writes,
      outside: isOutside(path, folder),
      git: /(^|[\\/])\.git([\\/]|$)/.test(path),
    }));
  if (other.length > 0) reading.other = other;
  return reading;
}

/** The agent's words in the input of a call. */
export function wordsIn(input: Json | undefined): string[] {
  if (input === null || typeof input !== 'object' || Array.isArray(input)) return [];
  return Object.entries(input).flatMap(([name, value]) =>
    wordNames.test(name) && typeof value === 'string' ? [value] : [],
  );
}

/**
 * Removes the argument with the target space of a display. Any agent can use that name for anything, so it is removed
 * only if its value is the id of a space.
 */
export function withoutTarget(other: readonly Argument[], isSpace: (id: string) => boolean): Argument[] {
  return other.filter(({ name, value }) => name !== routing || !isSpace(value));
}

/** Removes the arguments that the agent's words or a diff already show in full. */
export function withoutShown(
  other: readonly Argument[],
  words: readonly string[],
  diffs: readonly Content[],
): Argument[] {
  return other.filter(
    ({ name, value }) =>
      !(wordNames.test(name) && words.includes(value)) &&
      !diffs.some(({ oldText, newText }) => value === oldText || value === newText),
  );
}

function lineOf(command: string, args: string[] | null): Run {
  if (args === null || args.length === 0) return { line: command };
  const line = [command, ...args.map(quoted)].join(' ');
  return { line, args: [command, ...args] };
}

const readers = /^(ba|da|k|z|mk|a|fi|c|tc)?sh$|^(pwsh|powershell|cmd)(\.exe)?$/i;

/** A list of words: a shell that runs a script, or a program with arguments. */
function runOf(words: readonly string[]): Run {
  const args = [...words];
  const script = args[2];
  const reads = readers.test(args[0]?.split(/[\\/]/).at(-1) ?? '');
  if (args.length === 3 && script !== undefined && reads && /^-\w*c$|^[/-]c$/i.test(args[1] ?? ''))
    return { line: script, shell: `${args[0]} ${args[1]}`, args };
  return { line: args.map(quoted).join(' '), args };
}

/** Reports whether a shell is one of the system's, by name or usual path. */
export function isSystemShell(shell: string): boolean {
  return /^((\/usr)?(\/local)?\/bin\/|\/opt\/homebrew\/bin\/)?(sh|bash|dash|zsh|ksh|fish)( -[a-z]+)*$/.test(
    shell,
  );
}

function isWords(value: Json | undefined): value is string[] {
  return Array.isArray(value) && value.every((one) => typeof one === 'string');
}

function variablesOf(value: Json): Argument[] | null {
  if (value === null || typeof value !== 'object') return null;
  if (!Array.isArray(value)) return Object.entries(value).map(([name, one]) => ({ name, value: told(one) }));
  const out: Argument[] = [];
  for (const one of value) {
    if (typeof one === 'string' && one.includes('=')) {
      const at = one.indexOf('=');
      out.push({ name: one.slice(0, at), value: one.slice(at + 1) });
    } else if (
      one !== null &&
      typeof one === 'object' &&
      !Array.isArray(one) &&
      typeof one['name'] === 'string'
    )
      out.push({ name: one['name'], value: told(one['value'] ?? '') });
    else return null;
  }
  return out;
}

/** Reports whether a flag is set. */
function isOn(value: Json): boolean {
  if (typeof value === 'string') return !/^(|false|no|off|default|use_default|none)$/i.test(value);
  return value !== false && value !== null && value !== 0;
}

function told(value: Json): string {
  if (typeof value === 'string') return value;
  const short = JSON.stringify(value);
  return short.length <= 80 ? short : JSON.stringify(value, null, 2);
}

/** By name only; the broker also follows links. */
function isOutside(path: string, folder: string): boolean {
  if (folder === '' || !/^([\\/~]|\w:)/.test(path)) return /(^|[\\/])\.\.([\\/]|$)/.test(path);
  return path !== folder && (!path.startsWith(`${folder}/`) || /[\\/]\.\.([\\/]|$)/.test(path));
}
