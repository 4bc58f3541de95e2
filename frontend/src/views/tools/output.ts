import { FenceDepth } from '../../markdown/fences';
import type { ToolCall } from '../../transcript/model';
import type { Content, Json } from '../../transcript/types';
import type { Command } from './command';
import { pretty } from './input';

// Agents return command output in many forms: as text, in a fence, preceded by the command, or as fields. It is shown
// as it was printed.

/** Fields in which agents return command output, best first. */
const fields = ['aggregated_output', 'formatted_output', 'output', 'content', 'text', 'result'];

/** The command output in a call's result; null if the result has another form. */
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

/** Agents that run several commands per call report on each. */
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
 * Removes a fence around all of a text. A fence with a language inside is a nested block; if the outer one closes
 * before the end, there are several blocks and all are kept. For the start of a text (not `whole`), no end is required.
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
  // An unclosed fence inside doesn't matter: the last one closes the whole.
  return (lines.at(-1) ?? '').trimEnd() === marks ? lines.slice(0, -1).join('\n') : text;
}

/** Tags around the error of a call, and around a returned file, folder or report. */
const failures = ['tool_use_error', 'error'];
const enclosures = ['content', 'entries', 'task_result'];
const enclosedBy = /^(?:<path>[^\n]*<\/path>\n(?:<type>[^\n]*<\/type>\n)?|<task [^\n]*>\n)/;

/**
 * Removes what agents wrap around a result for the model: a fence, tags of an error or a file, reminders. The backend
 * does the same (wrapper.go). The texts are long and untrusted, so tags are matched by hand.
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
    // A last line in brackets states the total size.
    const last = body.lastIndexOf('\n') + 1;
    return /^\([^\n]*\)$/.test(body.slice(last)) ? body.slice(0, last).trimEnd() : body;
  }
  return told;
}

/** The content of a tag that encloses all of a text. */
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

/** File contents as an agent read them: lines, and the number of the first if the agent numbered them. */
export interface ReadText {
  lines: readonly string[];
  from?: number | undefined;
}

/** Line number formats of agents: a tab, an arrow, a letter, a colon, a bar. */
const numberings = [/^ *(\d+)\t/, /^ *(\d+)→/, /^ *L(\d+): ?/, /^ *(\d+): ?/, /^ *(\d+) ?[|│] ?/];

/** The lines of a file that was read, without the agent's line numbers. */
export function readLines(text: string): ReadText {
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  // Unnumbered empty lines around numbered ones come from the agent.
  const own = lines.slice(
    lines.findIndex((line) => line.trim() !== ''),
    lines.findLastIndex((line) => line.trim() !== '') + 1,
  );
  for (const numbering of numberings) {
    const from = Number(numbering.exec(own[0] ?? '')?.[1] ?? Number.NaN);
    if (Number.isNaN(from)) continue;
    const numbered = own.every((line, i) => Number(numbering.exec(line)?.[1]) === from + i);
    // A single line starting with a number may be file content.
    if (numbered && (own.length > 1 || numbering === numberings[0] || numbering === numberings[1]))
      return { lines: own.map((line) => line.replace(numbering, '')), from };
  }
  return { lines };
}

/** Reports whether two texts are the same apart from line breaks, and that the second may be truncated. */
export function sameWords(text: string, brief: string): boolean {
  const told = brief.replace(/\s+/g, ' ').trim();
  const words = text.replace(/\s+/g, ' ').trim();
  return (
    told !== '' &&
    (words === told || (/(?:…|\.\.\.)$/.test(told) && words.startsWith(told.replace(/(?:…|\.\.\.)$/, ''))))
  );
}

/** The start of the error of a command that exited with a code. */
export const exitCode = /^Exit code (-?\d+)(?:: |$)/;

/** The output of a command without fences, and without the command and exit code above it, which are already shown. */
export function withoutEcho(text: string, { line, sent }: Command, error = ''): string {
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

/** Removes the leading line in which some agents report the exit code. */
export function withoutExit(text: string, code: number | string | undefined): string {
  const line = `Exit code ${code}`;
  if (code === undefined || !text.startsWith(line)) return text;
  const rest = text.slice(line.length);
  return rest === '' || /^\r?\n/.test(rest) ? rest.replace(/^\r?\n/, '') : text;
}

/** The output of a call as text: the output of a command, else JSON. */
export function outputText({ kind, output }: Pick<ToolCall, 'kind' | 'output'>): string {
  if (output === undefined || output === null) return '';
  if (typeof output === 'string') return output;
  return (kind === 'execute' || kind === 'read' ? printed(output) : null) ?? pretty(output);
}

/**
 * Reports whether a piece of a command's content is only the agent's description, which is sent before there is output
 * and remains if there is none.
 */
export function isDescription({ kind, input }: Pick<ToolCall, 'kind' | 'input'>, content: Content): boolean {
  if (kind !== 'execute' || content.type !== 'text' || content.text === undefined) return false;
  if (input === null || typeof input !== 'object' || Array.isArray(input)) return false;
  return content.text !== '' && content.text === input['description'];
}
