/**
 * `<details>` and `<summary>`, the only HTML that has a meaning in a message. Lines that open and close a fold are
 * blocks of their own, so that its content is parsed, finished and shown block by block like everything else; the
 * document tracks which blocks are in which fold (see folds.ts). Of the attributes, only `open` is read, and none is
 * written.
 */
import type { MarkdownIt, Token } from 'markdown-it';
import { mayGrow } from '../math/rules';
import { spend } from '../work';

type BlockState = InstanceType<MarkdownIt['block']['State']>;

const LESS_THAN = 60;
/** Longer lines are plain text. */
const LONGEST = 2000;
/** Most lines of a summary. */
const SUMMARY_LINES = 3;

const OPENS = /^<details(\s[^<>]*)?>\s*/i;
const SUMMARY = /^<summary(?:\s[^<>]*)?>([\s\S]*?)<\/summary>\s*/i;
const SUMMARY_BEGINS = /^<summary(?:\s[^<>]*)?>/i;
const CLOSES = /^(?:<\/details>\s*)+$/i;

export function details(md: MarkdownIt) {
  md.block.ruler.after('fence', 'details', rule, { alt: ['paragraph', 'reference', 'blockquote', 'list'] });
  md.core.ruler.push('plain_summaries', (state) => {
    for (const [i, token] of state.tokens.entries()) {
      if (token.type === 'summary_open') withoutLinks(state.tokens[i + 1]);
    }
  });
  const { escapeHtml } = md.utils;
  const { rules } = md.renderer;
  rules['summary_open'] = (tokens, index) =>
    `<span class="md-summary" data-md-open="${(tokens[index]?.meta as Meta | undefined)?.open === true}">`;
  rules['summary_close'] = () => '</span>\n';
  rules['details_close'] = (tokens, index) =>
    `<p class="md-details-end">${escapeHtml(tokens[index]?.content ?? '')}</p>\n`;
  rules['details_line_open'] = () => '<div class="md-details-line">';
  rules['details_line_close'] = () => '</div>\n';
}

type Meta = { readonly open: boolean };

/** Reports whether the source of a block that opens a fold has the `open` attribute. */
export function opensByItself(source: string): boolean {
  return /\sopen(?=[\s=]|$)/i.test(/<details(\s[^<>]*)?>/i.exec(source)?.[1] ?? '');
}

/** Returns how many folds the source of a block closes. */
export function closings(source: string): number {
  return source.match(/<\/details>/gi)?.length ?? 0;
}

function rule(state: BlockState, startLine: number, endLine: number, silent: boolean): boolean {
  if ((state.sCount[startLine] ?? 0) - state.blkIndent >= 4) return false;
  const start = (state.bMarks[startLine] ?? 0) + (state.tShift[startLine] ?? 0);
  if (state.src.charCodeAt(start) !== LESS_THAN) return false;
  const text = textOf(state, startLine);
  spend(text.length / 16);
  if (text.length > LONGEST) return false;
  if (CLOSES.test(text)) {
    if (silent) return true;
    const token = state.push('details_close', '', 0);
    token.map = [startLine, startLine + 1];
    token.content = text;
    state.line = startLine + 1;
    return true;
  }
  const [tag, attributes = ''] = OPENS.exec(text) ?? [];
  if (tag === undefined) return false;
  const rest = text.slice(tag.length);
  const meta: Meta = { open: opensByItself(`<details${attributes}>`) };
  if (rest !== '') {
    const [all, summary = ''] = SUMMARY.exec(rest) ?? [];
    if (all === undefined) return false;
    const after = rest.slice(all.length);
    const inner = after === '' ? '' : /^(.*)<\/details>$/i.exec(after)?.[1];
    if (inner === undefined || /<\/?details/i.test(inner)) return false;
    if (silent) return true;
    const map: [number, number] = [startLine, startLine + 1];
    if (after === '') pushSummary(state, summary, meta, map);
    else pushLine(state, summary, inner, meta, map);
    state.line = startLine + 1;
    return true;
  }
  if (silent) return true;
  const { summary, lines } = summaryBelow(state, startLine + 1, endLine);
  const map: [number, number] = [startLine, startLine + 1 + lines];
  pushSummary(state, summary, meta, map);
  state.line = map[1];
  return true;
}

/**
 * Returns the summary in the following lines and how many lines it takes: all remaining lines if it could still be
 * closed.
 */
function summaryBelow(state: BlockState, from: number, endLine: number): { summary: string; lines: number } {
  const none = { summary: '', lines: 0 };
  let text = '';
  for (let line = from; line < from + SUMMARY_LINES; line++) {
    if (line >= endLine) {
      return text !== '' && mayGrow(state, line) ? { summary: '', lines: line - from } : none;
    }
    const next = textOf(state, line);
    const inside = (state.sCount[line] ?? 0) >= state.blkIndent;
    if (next === '' || !inside || text.length + next.length > LONGEST) return none;
    if (line === from && !SUMMARY_BEGINS.test(next)) return none;
    spend(next.length / 16);
    text += `${text === '' ? '' : '\n'}${next}`;
    const [all, summary = ''] = SUMMARY.exec(text) ?? [];
    if (all === undefined) continue;
    return all.length === text.length ? { summary, lines: line - from + 1 } : none;
  }
  return none;
}

function textOf(state: BlockState, line: number): string {
  const from = (state.bMarks[line] ?? 0) + (state.tShift[line] ?? 0);
  return state.src.slice(from, Math.min(state.eMarks[line] ?? 0, from + LONGEST + 1)).trim();
}

function pushSummary(state: BlockState, summary: string, meta: Meta, map: [number, number]) {
  const token = state.push('summary_open', 'span', 1);
  token.map = map;
  token.meta = meta;
  pushInline(state, summary);
  state.push('summary_close', 'span', -1);
}

function pushLine(state: BlockState, summary: string, inner: string, meta: Meta, map: [number, number]) {
  state.push('details_line_open', 'div', 1).map = map;
  pushSummary(state, summary, meta, map);
  state.push('paragraph_open', 'p', 1);
  pushInline(state, inner);
  state.push('paragraph_close', 'p', -1);
  state.push('details_line_close', 'div', -1);
}

function pushInline(state: BlockState, text: string) {
  const inline = state.push('inline', '', 0);
  inline.content = text.trim();
  inline.children = [];
}

/** Inside a button, links become their text and images their alternative text. */
export function withoutLinks(inline: Token | undefined) {
  if (inline?.type !== 'inline' || inline.children === null) return;
  inline.children = inline.children.filter(({ type }) => type !== 'link_open' && type !== 'link_close');
  for (const token of inline.children) if (token.type === 'image') token.meta = { inLink: true };
}
