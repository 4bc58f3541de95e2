/**
 * Math in markdown: `$…$`, `$$…$$`, `\(…\)` and `\[…\]`. The parser only finds formulas and writes their source; they
 * are drawn later (see formulas.ts).
 *
 * Prices, shell and template variables, and regular expressions are not math. As in pandoc and on GitHub, the opening
 * `$` is not followed by a space and the closing one is not preceded by one. The next `$` either closes the formula or
 * there is none, so every `$` is looked at once. A word must end after the closing `$`, brackets inside must match, and
 * the content must not read like a sentence. Within a line, `$$` and `\(` require something that looks like TeX.
 */
import type { MarkdownIt, Token } from 'markdown-it';
import { escapeBidi } from '../links';
import { spend } from '../work';

type BlockState = InstanceType<MarkdownIt['block']['State']>;
type InlineState = InstanceType<MarkdownIt['inline']['State']>;

/** Longest inline formula and longest display formula, in characters. */
const LONGEST_INLINE = 2000;
const LONGEST_BLOCK = 8 * 1024;

const DOLLAR = 36;
const BACKSLASH = 92;

/** A formula for the view. */
type Formula = { readonly tex: string; readonly display: boolean };

/**
 * Reports whether more text may follow at the given line, because the stream has not ended; something that could still
 * be closed is then kept together. The end of a quote or a list within the text does not count.
 */
export function mayGrow({ env, bMarks }: BlockState, line: number): boolean {
  return env['open'] === true && line >= bMarks.length - 1;
}

export function math(md: MarkdownIt) {
  md.block.ruler.after('fence', 'math_block', blockRule, {
    alt: ['paragraph', 'reference', 'blockquote', 'list'],
  });
  md.inline.ruler.before('escape', 'math_inline', inlineRule);
  const { escapeHtml } = md.utils;
  const write = (tag: string) => (tokens: Token[], index: number) => {
    const { content, meta } = tokens[index] as Token;
    const { tex, display } = (meta ?? {}) as Formula;
    const kind = display ? ' data-md-display=""' : '';
    const end = tag === 'div' ? '\n' : '';
    // The characters of a formula keep their order in a right-to-left text.
    return `<${tag} class="md-math" dir="ltr" data-md-tex="${escapeHtml(tex)}"${kind}>${escapeHtml(escapeBidi(content))}</${tag}>${end}`;
  };
  md.renderer.rules['math_inline'] = write('span');
  md.renderer.rules['math_block'] = write('div');
  md.renderer.rules['math_pending'] = (tokens, index) =>
    `<p class="md-math-open" dir="auto">${escapeHtml(escapeBidi((tokens[index] as Token).content))}</p>\n`;
}

/** A display formula. It ends at the first line with a closing delimiter, at the latest before an empty line. */
function blockRule(state: BlockState, startLine: number, endLine: number, silent: boolean): boolean {
  const { src } = state;
  const lineStart = (line: number) => (state.bMarks[line] ?? 0) + (state.tShift[line] ?? 0);
  const begin = lineStart(startLine);
  const mark = blockMark(src, begin);
  if (mark === undefined || (state.sCount[startLine] ?? 0) - state.blkIndent >= 4) return false;
  const close = mark === '$$' ? '$$' : '\\]';

  let length = 0;
  let end = -1;
  let line = startLine;
  for (; line < endLine && end < 0; line++) {
    const from = line === startLine ? begin + 2 : lineStart(line);
    const to = state.eMarks[line] ?? 0;
    if (line > startLine && (from >= to || (state.sCount[line] ?? 0) < state.blkIndent)) return false;
    length += to - from + 1;
    spend((to - from) / 8 + 1);
    if (length > LONGEST_BLOCK) return false;
    const found = closing(src, from, to, close);
    if (found === WRONG || (found >= 0 && src.slice(found + 2, to).trim() !== '')) return false;
    if (found >= 0) end = found;
  }
  const pending = end < 0;
  if (pending && !mayGrow(state, line)) return false;

  const text = (from: number, until: number) => {
    let out = src.slice(from, Math.min(until, state.eMarks[startLine] ?? 0));
    for (let n = startLine + 1; n < line; n++)
      out += `\n${src.slice(lineStart(n), Math.min(until, state.eMarks[n] ?? 0))}`;
    return out;
  };
  const tex = text(begin + 2, pending ? src.length : end).trim();
  if (!pending && tex === '') return false;
  // Escaped brackets, not math.
  if (!pending && close === '\\]' && line === startLine + 1 && !likeTeX(tex)) return false;
  if (silent) return true;

  const token = state.push(pending ? 'math_pending' : 'math_block', 'div', 0);
  token.map = [startLine, line];
  token.content = text(begin, pending ? src.length : end + 2);
  token.meta = { tex, display: true } satisfies Formula;
  state.line = line;
  return true;
}

function blockMark(src: string, at: number): '$$' | '\\[' | undefined {
  const first = src.charCodeAt(at);
  if (first === DOLLAR) return src.charCodeAt(at + 1) === DOLLAR ? '$$' : undefined;
  return first === BACKSLASH && src.charAt(at + 1) === '[' ? '\\[' : undefined;
}

/** Another formula opens first. */
const WRONG = -2;

/**
 * Returns the position of a closing delimiter, or -1. The character after a backslash is skipped, so that `\\[2pt]`
 * neither opens nor closes anything.
 */
function closing(src: string, from: number, to: number, close: string): number {
  for (let at = from; at < to; at++) {
    const code = src.charCodeAt(at);
    if (code === BACKSLASH) {
      const next = src.charAt(at + 1);
      if (close.charCodeAt(0) === BACKSLASH) {
        if (next === close.charAt(1)) return at;
        if (next === (close === '\\]' ? '[' : '(')) return WRONG;
      }
      at++;
    } else if (code === DOLLAR && close.charCodeAt(0) === DOLLAR) {
      if (close === '$' || src.charCodeAt(at + 1) === DOLLAR) return at;
    }
  }
  return -1;
}

function inlineRule(state: InlineState, silent: boolean): boolean {
  const { src, pos } = state;
  const code = src.charCodeAt(pos);
  if (code !== DOLLAR && code !== BACKSLASH) return false;
  const next = src.charAt(pos + 1);
  const found =
    code === DOLLAR
      ? next === '$'
        ? between(state, '$$', '$$')
        : dollars(state)
      : next === '('
        ? between(state, '\\(', '\\)')
        : next === '['
          ? between(state, '\\[', '\\]')
          : undefined;
  if (found === undefined) return false;
  if (!silent) {
    const token = state.push('math_inline', 'span', 0);
    token.content = src.slice(pos, found.end);
    token.meta = { tex: found.tex, display: found.display } satisfies Formula;
  }
  state.pos = found.end;
  return true;
}

type Found = (Formula & { readonly end: number }) | undefined;

function limit({ pos, posMax }: InlineState): number {
  return Math.min(posMax, pos + LONGEST_INLINE);
}

/** Scripts without spaces between words: a formula may directly follow or precede them. */
const dense = String.raw`[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}]`;
const DENSE = new RegExp(dense, 'u');
/** What may precede the opening delimiter: not part of a word, and nothing that looks like code. */
const BEFORE = new RegExp(String.raw`(?:^|[^\p{L}\p{N}$/\\|]|${dense}|\$[^\p{L}\p{N}\s$])$`, 'u');
/**
 * What may follow the closing delimiter: the end of a word, a number or plural suffix, or a sign and another formula.
 */
const BEHIND = new RegExp(
  String.raw`^(?:$|[\s.,;:!?)\]}>"'*_~|%…–—\-]|\p{Pf}|\p{Pe}|[\u3001\u3002\uff01-\uff0f\uff1a-\uff1f]|${dense}|(?:st|nd|rd|th|s)(?![\p{L}\p{N}])|[^\p{L}\p{N}\s$\(\{\[]\$|<(?:br|\/)|&#?\w+;)`,
  'u',
);
/** A formula never starts with these. */
const CLOSER = /^[)\]},.;:!?"'`]/;

/** Reports whether a text stands alone, not inside a word or code. */
function apart(src: string, from: number, to: number, inner: string): boolean {
  const before = src.slice(Math.max(0, from - 2), from);
  const behind = src.slice(to, to + 12);
  if (!BEFORE.test(before) || !BEHIND.test(behind)) return false;
  return !DENSE.test(inner) || !(DENSE.test(before.slice(-1)) || DENSE.test(behind.charAt(0)));
}

/** Brackets that need no counterpart. */
const SIZED = /\\(?:left|right|[bB]igg?[lrm]?)\s*[()[\].]/g;

/** Reports whether all brackets in a text match, including those after a backslash except the bars of a pair. */
function balanced(text: string): boolean {
  const open: string[] = [];
  const bare = text.replace(SIZED, '');
  for (let at = 0; at < bare.length; at++) {
    const char = bare.charAt(at);
    if (char === '\\') at++;
    else if (char === '{' || char === '(' || char === '[') open.push(char);
    // Intervals may close with the other kind: [0, 1).
    else if (char === ')' || char === ']') {
      const last = open.pop();
      if (last !== '(' && last !== '[') return false;
    } else if (char === '}' && open.pop() !== '{') return false;
  }
  return open.length === 0;
}

function dollars(state: InlineState): Found {
  const { src, pos } = state;
  if (/^\s?$/.test(src.charAt(pos + 1))) return undefined;
  const end = closing(src, pos + 1, limit(state), '$');
  spend(((end < 0 ? limit(state) : end) - pos) / 8);
  if (end <= pos + 1 || /\s/.test(src.charAt(end - 1))) return undefined;
  const inner = src.slice(pos + 1, end);
  if (!apart(src, pos, end + 1, inner)) return undefined;
  // GitHub's other form: $`…`$. A formula contains no code.
  const ticked = /^`+([^`]+)`+$/.exec(inner)?.[1];
  if (
    ticked === undefined &&
    (CLOSER.test(inner) || CODE.test(inner) || likeWords(inner) || !balanced(inner))
  )
    return undefined;
  return { tex: ticked ?? inner, display: false, end: end + 1 };
}

const COMMAND = /\\[a-zA-Z]/;
const OPERATOR = /[=^_+<>]/;
/**
 * Never in a formula: quotes, other currencies, shell comparison and joining operators, and regular expression classes.
 */
const CODE = /["`€£¥@]|=~|&&|<br|\\[wds](?![a-zA-Z])/;
/** A variable name between dollars, a price and what it is for, words of a sentence. */
const NAME = /^(?=\w{4})[a-zA-Z]{2,}(?:_[a-zA-Z\d]+)*$/;
const PRICE = /^\d[\d.,]*\s+[a-zA-Z]{2,}/;
const SENTENCE = /[a-zA-Z]{3,}[.,;:]?\s+[a-zA-Z]{2,}|[a-zA-Z]{2,}[.,;:]?\s+[a-zA-Z]{3,}/;
/** TeX commands, with the text arguments. */
const COMMANDS = /\\[a-zA-Z]+\*?(?:\s*\{[^{}]*\})?/g;

function likeWords(inner: string): boolean {
  const bare = inner.replace(COMMANDS, '\\');
  return NAME.test(bare) || PRICE.test(bare) || SENTENCE.test(bare);
}

/** Between two `$$`: nothing that can be drawn, a word, or an SQL statement. */
const OTHER = /^(?:[^\\\p{L}\p{N}]+|[a-z]{2,})$|[^\\];$/iu;
const PATTERN = /\[[^\]]*\][*+?]|\.[*+?]|\w\\\|\w/;
const WORD_BETWEEN = /\s[a-zA-Z]{2,}\s|[a-zA-Z]{3,}/;

/** Reports whether a text looks like a formula rather than a sentence or a pattern. */
function likeTeX(inner: string): boolean {
  if (CLOSER.test(inner) || CODE.test(inner) || PATTERN.test(inner)) return false;
  return COMMAND.test(inner) || !(OPERATOR.test(inner) ? likeWords(inner) : WORD_BETWEEN.test(inner));
}

function between(state: InlineState, open: string, close: string): Found {
  const { src, pos } = state;
  const end = closing(src, pos + 2, limit(state), close);
  spend(((end < 0 ? limit(state) : end) - pos) / 8);
  if (end < 0) return undefined;
  const inner = src.slice(pos + 2, end).trim();
  if (inner === '' || inner.includes('`')) return undefined;
  // Only escaped brackets.
  if (open === '\\[' && (!(COMMAND.test(inner) || /[=^]/.test(inner)) || src.charAt(end + 2) === '('))
    return undefined;
  if (open !== '\\[') {
    if (!apart(src, pos, end + 2, inner) || !likeTeX(inner)) return undefined;
    if (open === '$$' && OTHER.test(inner)) return undefined;
  }
  return { tex: inner, display: open !== '\\(', end: end + 2 };
}
