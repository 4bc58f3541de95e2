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

const fence = /^(`{3,})(?:console|bash|sh|shell|text|output)?\n([\s\S]*?)\n?\1\s*$/;

/** The output of a command without the fence around it, and without the command above it: that is said already. */
export function bare(text: string, { line, sent }: Command): string {
  const inner = fence.exec(text)?.[2] ?? text;
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

/** The output of a call as text: what a command has printed, else JSON. */
export function outputText({ kind, output }: Pick<ToolCall, 'kind' | 'output'>): string {
  if (output === undefined || output === null) return '';
  if (typeof output === 'string') return output;
  return (kind === 'execute' ? printed(output) : null) ?? pretty(output);
}

/** Whether a piece of a command's content is only the agent's words about it: they come before there is an output, and stay where there is none. */
export function isDescription({ kind, input }: Pick<ToolCall, 'kind' | 'input'>, content: Content): boolean {
  if (kind !== 'execute' || content.type !== 'text' || content.text === undefined) return false;
  if (input === null || typeof input !== 'object' || Array.isArray(input)) return false;
  return content.text !== '' && content.text === input['description'];
}
