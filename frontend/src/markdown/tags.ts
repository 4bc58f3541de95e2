/**
 * HTML that agents use casually: line breaks, superscript and subscript, keys, all without attributes, and comments,
 * which are hidden. All other HTML is text (see parser.ts); for folds see folds/.
 */
import type { MarkdownIt } from 'markdown-it';
import { mayGrow } from './math/rules';
import { spend } from './work';

type BlockState = InstanceType<MarkdownIt['block']['State']>;
type InlineState = InstanceType<MarkdownIt['inline']['State']>;

const LESS_THAN = 60;
/** A longer comment is text, and so is a pair of tags that is further apart. In characters. */
const LONGEST = 16 * 1024;

const TAG = /<(br\s*\/?|\/?(?:sub|sup|kbd))\s*>/iy;
const OPENS = '<!--';
const CLOSES = '-->';

export function tags(md: MarkdownIt) {
  md.block.ruler.after('fence', 'comment', commentBlock, {
    alt: ['paragraph', 'reference', 'blockquote', 'list'],
  });
  md.inline.ruler.before('autolink', 'tags', inlineTag);
  md.renderer.rules['comment'] = () => '';
}

/** Reports whether the text is shown as written, as for users. */
const isExact = ({ env }: InlineState | BlockState) => env['exact'] === true;

function inlineTag(state: InlineState, silent: boolean): boolean {
  const { src, pos, posMax } = state;
  if (src.charCodeAt(pos) !== LESS_THAN || isExact(state)) return false;
  if (src.startsWith(OPENS, pos)) {
    // As in HTML, the shortest comment is `<!-->`.
    const end = find(src, CLOSES, pos + 2, posMax);
    if (end < 0) return false;
    state.pos = end + CLOSES.length;
    return true;
  }
  TAG.lastIndex = pos;
  const name = TAG.exec(src)?.[1]?.toLowerCase() ?? '';
  if (name === '' || name.startsWith('/')) return false;
  const begin = TAG.lastIndex;
  if (name.startsWith('br')) {
    if (begin > posMax) return false;
    if (!silent) state.push('hardbreak', 'br', 0);
    state.pos = begin;
    return true;
  }
  const end = closing(src, name, begin, posMax);
  if (end === undefined || state.level >= (state.md.options.maxNesting ?? 100)) return false;
  if (!silent) {
    state.pos = begin;
    state.posMax = end.from;
    state.push('tag_open', name, 1);
    state.md.inline.tokenize(state);
    state.push('tag_close', name, -1);
    state.posMax = posMax;
  }
  state.pos = end.to;
  return true;
}

/** Returns the end of the tag that closes the one before `from`. */
function closing(
  src: string,
  name: string,
  from: number,
  to: number,
): { from: number; to: number } | undefined {
  const tag = new RegExp(`<(/?)${name}\\s*>`, 'gi');
  tag.lastIndex = from;
  const until = Math.min(to, from + LONGEST);
  let depth = 1;
  for (let found = tag.exec(src); found !== null && tag.lastIndex <= until; found = tag.exec(src)) {
    depth += found[1] === '' ? 1 : -1;
    if (depth > 0) continue;
    spend((found.index - from) / 16);
    return { from: found.index, to: tag.lastIndex };
  }
  spend((until - from) / 16);
  return undefined;
}

function find(src: string, text: string, from: number, to: number): number {
  const until = Math.min(to, from + LONGEST);
  const found = src.slice(from, until).indexOf(text);
  spend((found < 0 ? until - from : found) / 16);
  return found < 0 ? -1 : from + found;
}

/** A comment at the start of a line. Text after it in its last line is a paragraph. */
function commentBlock(state: BlockState, startLine: number, endLine: number, silent: boolean): boolean {
  if ((state.sCount[startLine] ?? 0) - state.blkIndent >= 4) return false;
  const start = (state.bMarks[startLine] ?? 0) + (state.tShift[startLine] ?? 0);
  if (!state.src.startsWith(OPENS, start) || isExact(state)) return false;
  let length = 0;
  let line = startLine;
  let end = -1;
  for (; line < endLine && end < 0; line++) {
    const inside = (state.sCount[line] ?? 0) >= state.blkIndent || state.isEmpty(line);
    if (line > startLine && !inside) break;
    const from = line === startLine ? start + 2 : (state.bMarks[line] ?? 0);
    const to = state.eMarks[line] ?? 0;
    length += to - from + 1;
    spend((to - from) / 16);
    if (length > LONGEST) return false;
    const found = state.src.slice(from, to).indexOf(CLOSES);
    if (found >= 0) end = from + found + CLOSES.length;
  }
  if (end < 0 && !mayGrow(state, line)) return false;
  const rest = end < 0 ? '' : state.src.slice(end, state.eMarks[line - 1] ?? 0).trim();
  // A one-line comment followed by words is part of a paragraph.
  if (rest !== '' && line === startLine + 1) return false;
  if (silent) return true;
  const token = state.push('comment', '', 0);
  token.map = [startLine, line];
  if (rest !== '') {
    state.push('paragraph_open', 'p', 1);
    const inline = state.push('inline', '', 0);
    inline.content = rest;
    inline.children = [];
    state.push('paragraph_close', 'p', -1);
  }
  state.line = line;
  return true;
}
