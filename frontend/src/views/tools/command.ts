import type { ToolCall } from '../../transcript/model';
import type { Json } from '../../transcript/types';
import { quoted } from './input';

// Agents pass commands to a shell in many ways. Users see the command that runs. Wrapping is removed only if that is
// exact: a command with different quoting is a different command. The backend unwraps commands the same way for
// permissions; both are tested with backend/permission/testdata/wrappers.json. A permission card shows everything.

/** A command for display, and as sent by the agent if that is longer. */
export interface Command {
  line: string;
  sent: string;
}

/** POSIX shells that take a script with -c. */
const shells =
  /^(?:(?:\/usr(?:\/local)?)?\/bin\/|\/opt\/homebrew\/bin\/)?(?:sh|bash|zsh|dash|ksh|mksh|ash|fish|rbash)$/;
const cmd = /^(?:[a-z]:\\windows\\system32\\)?cmd(?:\.exe)?$/i;
const powershell =
  /^(?:[a-z]:\\windows\\system32\\windowspowershell\\v1\.0\\|[a-z]:\\program files\\powershell\\\d\\)?(?:powershell|pwsh)(?:\.exe)?$/i;
/** Options that don't change what a script does. */
const harmless = /^(?:-l|--login|--norc|--noprofile)$/;
const powershellHarmless = /^-(?:NoProfile|NoLogo|NonInteractive|nop|noni)$/i;

/** Longer lines aren't parsed. */
const longest = 64 << 10;
/** Deepest nesting of shells that is unwrapped. */
const deepest = 4;

/** The command that a line runs, without shells that only read it. */
export function unwrapped(line: string): string {
  let command = line.trim();
  for (let i = 0; i < deepest; i++) {
    const script = scriptInLine(command);
    if (script === null) return command;
    command = script.trim();
  }
  return command;
}

/** The script that a program with its arguments runs; null if it isn't just a shell reading it. */
export function scriptOf(words: readonly string[]): string | null {
  const [program = '', ...rest] = words;
  const script = rest.pop();
  const option = rest.pop();
  if (script === undefined || option === undefined || script.trim() === '') return null;
  if (shells.test(program))
    return /^-l*c$/.test(option) && rest.every((one) => harmless.test(one)) ? script : null;
  if (cmd.test(program))
    return /^\/c$/i.test(option) && rest.every((one) => /^\/[ds]$/i.test(one)) && !/["^]/.test(script)
      ? script
      : null;
  if (powershell.test(program))
    return /^-c(?:ommand)?$/i.test(option) && rest.every((one) => powershellHarmless.test(one))
      ? script
      : null;
  return null;
}

function scriptInLine(line: string): string | null {
  if (line.length > longest) return null;
  const words = wordsOf(line);
  const [program = ''] = words ?? [line.slice(0, line.search(/\s|$/))];
  if (cmd.test(program) || powershell.test(program)) return windowsScript(line);
  return words === null ? null : scriptOf(words);
}

/**
 * Windows passes the line on unparsed, and the shell for it is unknown, so only what all of them read alike is
 * unwrapped.
 */
function windowsScript(line: string): string | null {
  const found = /^(\S+)((?:\s+[/-][a-z]+)*?)\s+(\/c|-c|-command)\s+(?:"([^"$`%!]*)"|([\w ./:=,@+-]+))$/i.exec(
    line,
  );
  if (found === null) return null;
  const [, program = '', options = '', option = '', quoted, plain] = found;
  if (quoted !== undefined && /\\\\|\\$|\n/.test(quoted)) return null;
  return scriptOf([program, ...options.trim().split(/\s+/).filter(Boolean), option, quoted ?? plain ?? '']);
}

/**
 * The words of a line as every POSIX shell reads them; null if it is more than a program with its arguments, or depends
 * on expansion.
 */
export function wordsOf(line: string): string[] | null {
  const words: string[] = [];
  let word = '';
  let within = false;
  for (let i = 0; i < line.length; i++) {
    const char = line.charAt(i);
    if (char === ' ' || char === '\t') {
      if (within) words.push(word);
      word = '';
      within = false;
      continue;
    }
    if (/[;&|<>()$`\n\r*?[\]{}#!~^]/.test(char) || (char === '=' && words.length === 0)) return null;
    within = true;
    if (char === "'") {
      const end = line.indexOf("'", i + 1);
      if (end < 0) return null;
      word += line.slice(i + 1, end);
      i = end;
    } else if (char === '"') {
      const quoted = doubleQuoted(line, i + 1);
      if (quoted === null) return null;
      word += quoted.text;
      i = quoted.end;
    } else if (char === '\\') {
      i++;
      if (i >= line.length || line.charAt(i) === '\n') return null;
      word += line.charAt(i);
    } else word += char;
  }
  if (within) words.push(word);
  return words;
}

/** Reads a double-quoted string from a position and returns its end. */
function doubleQuoted(line: string, from: number): { text: string; end: number } | null {
  let text = '';
  for (let i = from; i < line.length; i++) {
    let char = line.charAt(i);
    if (char === '"') return { text, end: i };
    if (char === '$' || char === '`' || char === '!') return null;
    if (char === '\\') {
      const next = line.charAt(i + 1);
      if (next === '\n') return null;
      if (next !== '' && '"\\$`'.includes(next)) {
        char = next;
        i++;
      }
    }
    text += char;
  }
  return null;
}

/** The command of a call; empty if it has none. */
export function readCommand({ kind, input }: Pick<ToolCall, 'kind' | 'input'>): Command {
  if (Array.isArray(input)) return kind === 'execute' && isWords(input) ? ofWords(input) : none;
  if (input === null || typeof input !== 'object') return none;
  const command = input['command'] ?? input['cmd'];
  const commands = input['commands'];
  if (kind !== 'execute' && command === undefined && commands === undefined) return none;
  if (command === undefined && isWords(commands)) return ofLines(commands);
  if (typeof command === 'string') {
    const args = input['args'];
    const rest = Array.isArray(args) ? args.filter((arg) => typeof arg === 'string') : [];
    return rest.length === 0 ? ofLines([command]) : ofProgram(command, rest);
  }
  return isWords(command) ? ofWords(command) : none;
}

const none: Command = { line: '', sent: '' };

function ofLines(lines: readonly string[]): Command {
  const line = lines.map(unwrapped).join('\n');
  const sent = lines.map((one) => one.trim()).join('\n');
  return { line, sent: sent === line ? '' : sent };
}

function ofWords(words: readonly string[]): Command {
  const [program = '', ...args] = words;
  return ofProgram(quoted(program), args);
}

/** A program as written in a line, and its arguments. */
function ofProgram(program: string, args: readonly string[]): Command {
  const sent = [program, ...args.map(quoted)].join(' ');
  const script = scriptOf([wordsOf(program)?.join(' ') ?? program, ...args]);
  return script === null ? { line: sent, sent: '' } : { line: unwrapped(script), sent };
}

function isWords(value: Json | undefined): value is string[] {
  return Array.isArray(value) && value.length > 0 && value.every((one) => typeof one === 'string');
}

/** The title of a call for display: of a command in it, what runs. */
export function readTitle({ kind, title }: Pick<ToolCall, 'kind' | 'title'>): Command {
  if (kind !== 'execute') return { line: title, sent: '' };
  const bare = /^`([^`]+)`$/.exec(title.trim())?.[1] ?? title;
  const line = unwrapped(bare);
  return line === bare.trim() ? { line: bare, sent: '' } : { line, sent: bare };
}

/** A longer title doesn't show all of a command, because the row has one line at first. */
const mostInTitle = 300;

/** Reports whether the title of a call contains all of a command, so that it needn't be repeated. */
export function titleSays(call: Pick<ToolCall, 'kind' | 'title' | 'titleRef'>, command: string): boolean {
  const wanted = command.trim();
  if (wanted === '' || wanted.length > mostInTitle || wanted.includes('\n') || call.titleRef !== undefined)
    return false;
  const { line } = readTitle(call);
  const title = line.trim().replace(/`$/, '');
  if (!title.endsWith(wanted) || title.length > mostInTitle) return false;
  // Any other text may be more than the command.
  return /^(?:(?:run|running|shell|bash|terminal|execute|command)\b)?:?\s*`?$/i.test(
    title.slice(0, title.length - wanted.length),
  );
}

/** The first line of a text, with an ellipsis if there are more: lines of a script aren't one command. */
export function firstLine(text: string): string {
  const trimmed = text.trim();
  const end = trimmed.search(/[\r\n]/);
  return end < 0 ? trimmed : `${trimmed.slice(0, end).trimEnd()} …`;
}
