import { FenceDepth } from '../../markdown/fences';
import type { ToolCall } from '../../transcript/model';
import type { Content, Json } from '../../transcript/types';
import type { Command } from './command';
import { pretty } from './input';

// What a command has printed is in many forms: as text, in a fence, with the command once more above it, or as fields. It is shown as it was printed.

/** Where agents put what a command has printed, the best first. */
const fields = ['aggregated_output', 'formatted_output', 'output', 'content', 'text', 'result'];

/** What a command has printed, of the result of its call; null where the result has another form. */
export function printed(output: Json): string | null {
  if (typeof output === 'string') return output;
  if (output === null || typeof output !== 'object') return null;
  if (Array.isArray(output)) return printedByEach(output);
  const { stdout, stderr } = output;
  const whole = fields.map((name) => output[name]).find((value) => typeof value === 'string');
  if (typeof whole === 'string') return whole;
  const streams = [stdout, stderr].filter((value) => typeof value === 'string' && value !== '');
  if (typeof stdout !== 'string' && typeof stderr !== 'string') return null;
  return streams.map((value, i) => (i < streams.length - 1 ? ended(String(value)) : String(value))).join('');
}

/** Agents that run several commands in a call report on each. */
function printedByEach(list: readonly Json[]): string | null {
  const parts: string[] = [];
  for (const one of list) {
    if (one === null || typeof one !== 'object' || Array.isArray(one)) return null;
    const { query, result } = one;
    if (typeof query !== 'string' || typeof result !== 'string') return null;
    parts.push(list.length === 1 ? result : `$ ${query}\n${result}`);
  }
  return parts.length === 0 ? null : parts.map(ended).join('');
}

function ended(text: string): string {
  return text === '' || text.endsWith('\n') ? text : `${text}\n`;
}

const opening = /^(`{3,}|~{3,})[^`\n]*\r?\n/;

/**
 * The text without the one fence around all of it. A fence with a language inside opens a block of its own; where the outer one is closed before the
 * end, there are several, and all stay. Of a text that is only the start of one, no end is looked for.
 */
export function unfenced(text: string, whole = true): string {
  const trimmed = text.trim();
  const [first, marks = ''] = opening.exec(trimmed) ?? [];
  if (first === undefined) return text;
  const lines = trimmed.slice(first.length).split('\n');
  const depth = new FenceDepth(marks, 'markdown');
  const end = lines.findIndex((line) => depth.closedBy(line.trimEnd()));
  if (end >= 0) return end === lines.length - 1 ? lines.slice(0, -1).join('\n') : text;
  if (!whole) return lines.join('\n');
  // A fence inside of it has no end; the one at the end is still that of the whole.
  return (lines.at(-1) ?? '').trimEnd() === marks ? lines.slice(0, -1).join('\n') : text;
}

/** Tags around the error of a call, and around a file, a folder or a report that it has brought. */
const failures = ['tool_use_error', 'error'];
const enclosures = ['content', 'entries', 'task_result'];
const enclosedBy = /^(?:<path>[^\n]*<\/path>\n(?:<type>[^\n]*<\/type>\n)?|<task [^\n]*>\n)/;

/**
 * A result without what agents put around it for the model: a fence, tags of an error or a file, reminders. The backend reads it in the same way
 * (wrapper.go). Texts are long and untrusted, so that tags are looked for by hand.
 */
export function unwrappedResult(text: string, whole = true): string {
  const told = unfenced(withoutReminders(text), whole);
  const trimmed = told.trim();
  for (const tag of failures) {
    const inner = within(trimmed, tag);
    if (inner !== null) return unfenced(inner.trim());
  }
  const lead = enclosedBy.exec(trimmed)?.[0];
  if (lead === undefined) return told;
  const rest = trimmed
    .slice(lead.length)
    .replace(/<\/task>$/, '')
    .trim();
  for (const tag of enclosures) {
    const inner = within(rest, tag);
    if (inner === null) continue;
    const body = inner.replace(/^\n/, '').trimEnd();
    // A last line in brackets says how much there is.
    const last = body.lastIndexOf('\n') + 1;
    return /^\([^\n]*\)$/.test(body.slice(last)) ? body.slice(0, last).trimEnd() : body;
  }
  return told;
}

/** What is between a tag and its end, where these are around all of a text. */
function within(text: string, tag: string): string | null {
  const [open, close] = [`<${tag}>`, `</${tag}>`];
  return text.startsWith(open) && text.endsWith(close) ? text.slice(open.length, -close.length) : null;
}

function withoutReminders(text: string): string {
  const [open, close] = ['<system-reminder>', '</system-reminder>'];
  const kept: string[] = [];
  let from = 0;
  for (let at = text.indexOf(open); at >= 0; at = text.indexOf(open, from)) {
    const end = text.indexOf(close, at);
    if (end < 0) break;
    kept.push(text.slice(from, at).trimEnd());
    from = end + close.length;
  }
  return from === 0 ? text : [...kept, text.slice(from).trimStart()].filter((part) => part !== '').join('\n');
}

/** A file as an agent has read it: its lines, and the number of the first where the agent has written them. */
export interface ReadText {
  lines: readonly string[];
  from?: number | undefined;
}

/** The forms in which agents number lines: a tab, an arrow, a letter, a colon, a bar. */
const numberings = [/^ *(\d+)\t/, /^ *(\d+)→/, /^ *L(\d+): ?/, /^ *(\d+): ?/, /^ *(\d+) ?[|│] ?/];

/** The lines of a file that was read, without the numbers that the agent has written before each. */
export function readLines(text: string): ReadText {
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  // Empty lines around those with numbers are the agent's.
  const own = lines.slice(
    lines.findIndex((line) => line.trim() !== ''),
    lines.findLastIndex((line) => line.trim() !== '') + 1,
  );
  for (const numbering of numberings) {
    const from = Number(numbering.exec(own[0] ?? '')?.[1] ?? Number.NaN);
    if (Number.isNaN(from)) continue;
    const numbered = own.every((line, i) => Number(numbering.exec(line)?.[1]) === from + i);
    // One line that begins with a number may be just that.
    if (numbered && (own.length > 1 || numbering === numberings[0] || numbering === numberings[1]))
      return { lines: own.map((line) => line.replace(numbering, '')), from };
  }
  return { lines };
}

/** Whether two texts say the same, apart from how they are broken into lines and that the second may be cut. */
export function sameWords(text: string, brief: string): boolean {
  const told = brief.replace(/\s+/g, ' ').trim();
  const words = text.replace(/\s+/g, ' ').trim();
  return (
    told !== '' &&
    (words === told || (/(?:…|\.\.\.)$/.test(told) && words.startsWith(told.replace(/(?:…|\.\.\.)$/, ''))))
  );
}

/** How the error of a command begins that has ended with a code. */
export const exitCode = /^Exit code (-?\d+)(?:: |$)/;

/** The output of a command without the fence around it, and without the command and the exit code above it: those are said already. */
export function bare(text: string, { line, sent }: Command, error = ''): string {
  const inner = withoutExit(
    /^\s*(?:`{3,}|~{3,})(?:diff|patch)\b/.test(text) ? text : unwrappedResult(text),
    exitCode.exec(error)?.[1],
  );
  for (const command of [sent, line]) {
    if (command === '') continue;
    for (const lead of ['Command: ', '$ ', '> ']) {
      const echo = lead + command;
      if (!inner.startsWith(echo)) continue;
      const after = inner.charAt(echo.length);
      if (after === '\n' || after === '\r') return inner.slice(echo.length).replace(/^\r?\n/, '');
      if (after === '' && lead !== '> ') return '';
    }
  }
  return inner;
}

/** An output without the line above it by which some agents say with which code its command has ended. */
export function withoutExit(text: string, code: number | string | undefined): string {
  const line = `Exit code ${code}`;
  if (code === undefined || !text.startsWith(line)) return text;
  const rest = text.slice(line.length);
  return rest === '' || /^\r?\n/.test(rest) ? rest.replace(/^\r?\n/, '') : text;
}

/** The output of a call as text: what a command has printed, else JSON. */
export function outputText({ kind, output }: Pick<ToolCall, 'kind' | 'output'>): string {
  if (output === undefined || output === null) return '';
  if (typeof output === 'string') return output;
  return (kind === 'execute' || kind === 'read' ? printed(output) : null) ?? pretty(output);
}

/** Whether a piece of a command's content is only the agent's words about it: they come before there is an output, and stay where there is none. */
export function isDescription({ kind, input }: Pick<ToolCall, 'kind' | 'input'>, content: Content): boolean {
  if (kind !== 'execute' || content.type !== 'text' || content.text === undefined) return false;
  if (input === null || typeof input !== 'object' || Array.isArray(input)) return false;
  return content.text !== '' && content.text === input['description'];
}
