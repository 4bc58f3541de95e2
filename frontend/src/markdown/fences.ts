/**
 * Nested fences: agents show a document that contains code blocks, and fence it with as many backticks as the code in
 * it. Inside such a block, a fence with a language opens a nested block, which the next bare fence closes.
 */
import type { MarkdownIt } from 'markdown-it';

type BlockState = InstanceType<MarkdownIt['block']['State']>;

const NESTS = /^\s*(?:markdown|md[xc]?|mdown|mkd)(?![\w-])/i;
const FENCE = /^(`{3,}|~{3,})([^\n]*)$/;

/** Tracks how many nested fences are open in a fenced block. */
export class FenceDepth {
  readonly #char: string;
  readonly #length: number;
  readonly #nests: boolean;
  #depth = 1;

  constructor(marks: string, info: string) {
    this.#char = marks.charAt(0);
    this.#length = marks.length;
    this.#nests = NESTS.test(info);
  }

  /** Whether nested fences are counted. */
  get nests(): boolean {
    return this.#nests;
  }

  /** Takes a line without its indentation, which is less than 4 columns. Returns true if it closes the block. */
  closedBy(line: string): boolean {
    if (line.charAt(0) !== this.#char) return false;
    const [, marks = '', info = ''] = FENCE.exec(line) ?? [];
    if (marks.length < this.#length) return false;
    if (/^[ \t]*$/.test(info)) this.#depth -= 1;
    else if (this.#nests && !(this.#char === '`' && info.includes('`'))) this.#depth += 1;
    return this.#depth === 0;
  }
}

export function fences(md: MarkdownIt) {
  const rule = md.block.ruler.__rules__.find(({ name }) => name === 'fence');
  if (rule === undefined) return;
  const { fn, alt } = rule;
  md.block.ruler.at(
    'fence',
    (state, startLine, endLine, silent) =>
      nested(state, startLine, endLine, silent) || fn(state, startLine, endLine, silent),
    { alt },
  );
}

function nested(state: BlockState, startLine: number, endLine: number, silent: boolean): boolean {
  const indent = state.sCount[startLine] ?? 0;
  if (indent - state.blkIndent >= 4) return false;
  const [, marks = '', info = ''] = FENCE.exec(textOf(state, startLine)) ?? [];
  if (marks === '' || (marks.startsWith('`') && info.includes('`'))) return false;
  const depth = new FenceDepth(marks, info);
  if (!depth.nests) return false;
  if (silent) return true;
  let line = startLine + 1;
  let closed = false;
  for (; line < endLine && !closed; line++) {
    const at = state.sCount[line] ?? 0;
    if (at < state.blkIndent && !state.isEmpty(line)) break;
    closed = at - state.blkIndent < 4 && depth.closedBy(textOf(state, line));
  }
  const token = state.push('fence', 'code', 0);
  token.info = info;
  token.content = state.getLines(startLine + 1, closed ? line - 1 : line, indent, true);
  token.markup = marks;
  token.map = [startLine, line];
  state.line = line;
  return true;
}

function textOf(state: BlockState, line: number): string {
  return state.src.slice((state.bMarks[line] ?? 0) + (state.tShift[line] ?? 0), state.eMarks[line]);
}
