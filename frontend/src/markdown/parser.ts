/**
 * The markdown-it instance and the HTML it writes. HTML in the source is escaped (`html: false`; a few tags become
 * tokens, see tags.ts), and no element that it writes acts on its own: links, images and copy buttons are handled by
 * delegation (see interactions.ts). The output is checked again before it reaches the page (see render.ts).
 */
import MarkdownIt, { type Env, type Token } from 'markdown-it';
import footnotes from 'markdown-it-footnote';
import { fences } from './fences';
import { details } from './folds/rules';
import { boundedLinks } from './linkify';
import { escapeBidi, imageHost, openableUrl } from './links';
import { math } from './math/rules';
import { countMarks, installFastStates, outline } from './states';
import { tags } from './tags';
import { taskLists } from './taskLists';
import { bounded, countWork, spend } from './work';

export type { Env, Token } from 'markdown-it';

export const parser = createParser();

/**
 * Returns the top-level tokens only, without inline parsing. A source that takes too much work becomes one paragraph.
 * `more` is the number of steps allowed beyond those for its length.
 */
export function parseBlocks(source: string, env: Env, more = 0): Token[] {
  return bounded(source.length, () => outline(parser, source, env), more) ?? [whole(source)];
}

function whole(source: string): Token {
  const token = new parser.core.State(source, parser, {}).Token;
  const paragraph = new token('paragraph_open', 'p', 1);
  paragraph.map = [0, source.split('\n').length];
  return paragraph;
}

/** Returns where the top-level blocks of a source start, in order. */
export function blockStarts(tokens: readonly Token[]): BlockStart[] {
  const starts: BlockStart[] = [];
  for (const token of tokens) {
    if (token.level === 0 && token.nesting >= 0 && token.map !== null) {
      starts.push({ line: token.map[0], end: token.map[1], type: token.type });
    }
  }
  return starts;
}

interface BlockStart {
  readonly line: number;
  readonly end: number;
  readonly type: string;
}

function createParser() {
  const place = /^\/\/space\/[\w~%-]+(?:#[\w~%-]+(?:\.\d+){0,2})?/;
  const md = new MarkdownIt({ html: false, linkify: true, typographer: false });
  installFastStates(md);
  // Only addresses with a scheme become links: "main.rs" and "README.md" are files, not hosts.
  md.linkify.add('weft:', { validate: (text, pos) => place.exec(text.slice(pos))?.[0].length ?? 0 });
  md.linkify.set({ fuzzyLink: false, fuzzyEmail: false, fuzzyIP: false });
  boundedLinks(md);
  linksToFiles(md);
  withFootnotes(md);
  taskLists(md);
  math(md);
  details(md);
  fences(md);
  tags(md);
  md.core.ruler.push('safe_links', (state) => {
    for (const token of state.tokens) {
      if (token.children === null) continue;
      countMarks(token.children);
      markLinks(token.children);
    }
  });
  writeHtml(md);
  countWork(md);
  return md;
}

/** On this computer; other hosts are not reachable. */
const FILE = /^file:\/\/(?:localhost)?\/(?!\/)/i;

/**
 * Agents also link to files with file: addresses. Such a link can't be opened by the text itself, see markLinks. Images
 * with file: addresses stay text.
 */
function linksToFiles(md: InstanceType<typeof MarkdownIt>) {
  const valid = md.validateLink.bind(md);
  let ofImage = false;
  md.validateLink = (address) => valid(address) || (!ofImage && FILE.test(address));
  for (const rule of ['image', 'link'] as const) {
    const { fn } = md.inline.ruler.__rules__.find(({ name }) => name === rule) ?? {};
    if (fn === undefined) continue;
    md.inline.ruler.at(rule, (state, silent) => {
      const before = ofImage;
      // A rejected image is parsed again as a link after its "!".
      ofImage ||= rule === 'image' || state.src.charCodeAt(state.pos - 1) === 33;
      try {
        return fn(state, silent);
      } finally {
        ofImage = before;
      }
    });
  }
}

/** Steps of a footnote definition. */
const FOOTNOTE = 80;

/** The plug-in's definitions have no line numbers, which the splitter needs, and inline notes conflict with x^[2]. */
function withFootnotes(md: InstanceType<typeof MarkdownIt>) {
  const { ruler } = md.block;
  const before = ruler.before;
  ruler.before = (beforeName, name, rule, options) => {
    before.call(
      ruler,
      beforeName,
      name,
      (state, startLine, endLine, silent) => {
        const at = state.tokens.length;
        const found = rule(state, startLine, endLine, silent);
        const token = state.tokens[at];
        if (found && !silent && token !== undefined) {
          spend(FOOTNOTE);
          token.map = [startLine, state.line];
        }
        return found;
      },
      options,
    );
  };
  md.use(footnotes);
  ruler.before = before;
  boundedReferences(md);
  const tail = md.core.ruler.__rules__.find(({ name }) => name === 'footnote_tail');
  if (tail !== undefined) {
    const { fn } = tail;
    md.core.ruler.at('footnote_tail', (state) => {
      // The plug-in copies all tokens for each note.
      const { list = [] } = (state.env['footnotes'] ?? {}) as { list?: unknown[] };
      spend((list.length * state.tokens.length) / 16);
      fn(state);
    });
  }
  md.inline.ruler.disable('footnote_inline');
}

/** The longest footnote name, as for a link reference. */
const LONGEST_NAME = 999;

/** Bounds the search for the end of a footnote reference at every "[^" by the length of a name. */
function boundedReferences(md: InstanceType<typeof MarkdownIt>) {
  const rule = md.inline.ruler.__rules__.find(({ name }) => name === 'footnote_ref');
  if (rule === undefined) return;
  const { fn } = rule;
  md.inline.ruler.at('footnote_ref', (state, silent) => {
    const { src, pos } = state;
    if (src.charCodeAt(pos) !== 91 || src.charCodeAt(pos + 1) !== 94) return false;
    const end = src.slice(pos, pos + LONGEST_NAME + 3).search(/[\] \n]/);
    spend((end < 0 ? LONGEST_NAME : end) / 4);
    return end >= 0 && fn(state, silent);
  });
}

/** Links that may not be opened, and those around an image, lose their address but keep their text. */
function markLinks(tokens: readonly Token[]) {
  let dead = false;
  let open: Token | undefined;
  for (const token of tokens) {
    if (token.type === 'link_open') {
      const url = openableUrl(String(token.attrGet('href') ?? ''));
      dead = url === undefined;
      open = token;
      if (dead) {
        token.tag = 'span';
        token.attrs = [
          ['class', 'md-dead-link'],
          ['title', escapeBidi(decode(String(token.attrGet('href') ?? '')))],
        ];
      } else {
        const href = String(token.attrGet('href'));
        token.attrs = [
          ['href', href],
          ['title', href],
          ['rel', 'noopener noreferrer nofollow'],
          ['target', '_blank'],
        ];
      }
    } else if (token.type === 'link_close') {
      if (dead) token.tag = 'span';
      open = undefined;
    } else if (token.type === 'image' && open !== undefined) {
      token.meta = { inLink: true };
    } else if (token.type === 'text' && open !== undefined) {
      token.content = escapeBidi(token.content);
    }
  }
}

function decode(address: string): string {
  try {
    return decodeURI(address);
  } catch {
    return address;
  }
}

function writeHtml(md: InstanceType<typeof MarkdownIt>) {
  const { escapeHtml } = md.utils;
  const rules = md.renderer.rules;

  const code = (token: Token, info: string) => {
    const language = escapeBidi((/^\s*([^\s{,]+)/.exec(info)?.[1] ?? '').slice(0, 40));
    return `<pre class="md-code" data-md-language="${escapeHtml(language)}"><code>${escapeHtml(token.content)}</code></pre>\n`;
  };
  rules['fence'] = (tokens, index) => {
    const token = at(tokens, index);
    return code(token, md.utils.unescapeAll(token.info));
  };
  rules['code_block'] = (tokens, index) => code(at(tokens, index), '');
  rules['code_inline'] = (tokens, index) =>
    `<code dir="ltr">${escapeHtml(escapeBidi(at(tokens, index).content))}</code>`;

  // The speaker's name is a second-level heading, so headings in a message start below that.
  for (const rule of ['heading_open', 'heading_close']) {
    rules[rule] = (tokens, index) => {
      const token = at(tokens, index);
      const level = Number(token.tag.slice(1));
      const tag = `h${Math.min(level + 2, 6)}`;
      return token.nesting === 1 ? `<${tag} class="md-h${level}" dir="auto">` : `</${tag}>\n`;
    };
  }
  // The direction of each item, cell and quote follows its first strong letter; that of a table column follows its
  // header.
  for (const rule of ['list_item_open', 'blockquote_open']) {
    rules[rule] = (tokens, index, options, _env, self) => {
      at(tokens, index).attrSet('dir', 'auto');
      return self.renderToken(tokens, index, options);
    };
  }
  rules['table_open'] = (tokens, index) => {
    let words = '';
    for (let i = index; words === '' && tokens[i] !== undefined && tokens[i]?.type !== 'table_close'; i++) {
      const { type, content } = at(tokens, i);
      if (type === 'inline' && /\p{L}/u.test(content)) words = content;
    }
    return `<div class="md-table"><table${rightToLeft(words) ? ' dir="rtl"' : ''}>\n`;
  };
  rules['table_close'] = () => '</table></div>\n';

  for (const rule of ['th_open', 'td_open']) {
    rules[rule] = (tokens, index) => {
      const token = at(tokens, index);
      const align = /(left|center|right)/.exec(String(token.attrGet('style') ?? ''))?.[1];
      return align === undefined
        ? `<${token.tag} dir="auto">`
        : `<${token.tag} class="md-${align}" dir="auto">`;
    };
  }

  rules['image'] = (tokens, index, options, env, self) => {
    const token = at(tokens, index);
    const alt = escapeBidi(self.renderInlineAsText(token.children ?? [], options, env));
    const inLink = (token.meta as { inLink?: boolean } | null)?.inLink === true;
    if (inLink) return escapeHtml(alt === '' ? 'image' : alt);
    const address = String(token.attrGet('src') ?? '');
    const host = escapeBidi(imageHost(address)).slice(0, 100);
    return `<span class="md-image" data-md-src="${escapeHtml(address)}" data-md-host="${escapeHtml(host)}">${escapeHtml(alt)}</span>`;
  };

  // Footnotes have no ids and hash links: several messages share one page, and nothing navigates.
  rules['footnote_ref'] = (tokens, index) =>
    `<sup class="md-footnote-ref">${Number((at(tokens, index).meta as { id: number }).id) + 1}</sup>`;
  rules['footnote_block_open'] = () => '<section class="md-footnotes"><ol>\n';
  rules['footnote_block_close'] = () => '</ol></section>\n';
  rules['footnote_open'] = () => '<li dir="auto">';
  rules['footnote_anchor'] = () => '';
}

/** Reports whether the first letter of a text belongs to a right-to-left script. */
function rightToLeft(text: string): boolean {
  const first = /\p{L}/u.exec(text)?.[0] ?? '';
  return /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u.test(first);
}

function at(tokens: readonly Token[], index: number): Token {
  const token = tokens[index];
  if (token === undefined) throw new RangeError(`no token at ${index}`);
  return token;
}
