/**
 * markdown-it's states and tokens, made faster. The library fills its own field by field through a helper, which takes a third of the
 * time of a parse. The methods are the library's. They also count what is made of a text (see work.ts).
 */
import MarkdownParser, { type Env, type MarkdownIt, type Token } from 'markdown-it';
import { inkOf } from './ink';
import { foresee, spend } from './work';

type Nesting = Token['nesting'];
type InlineState = InstanceType<MarkdownIt['inline']['State']>;

/** Steps of a token, which is made, looked through by several rules and written, and of one that becomes an element. */
const TOKEN = 3;
const ELEMENT = 45;
const INLINE_CODE = 70;
/** Steps of a code block, which has a head and a button, and of an image, which has a button. */
const CODE = 400;
const IMAGE = 200;
/** Steps of a formula until it is drawn, which has a budget of its own. */
const MATH = 60;
/** Steps of a block of the uppermost level, which is kept, put into a group and may become a view. */
const BLOCK = 30;

/** A longer paragraph is not formatted: it is laid out as a whole. In characters. */
const LONGEST_PARAGRAPH = 16 * 1024;

function stepsOf(type: string, tag: string, nesting: Nesting): number {
  if (nesting < 0 || tag === '' || type === 'softbreak') return TOKEN;
  if (type === 'fence' || type === 'code_block') return CODE;
  if (type === 'image') return IMAGE;
  if (type === 'math_inline' || type === 'math_block') return MATH;
  return type === 'code_inline' ? INLINE_CODE : ELEMENT;
}

const library = new MarkdownParser();
const LibraryBlockState = library.block.State;
const LibraryInlineState = library.inline.State;
const LibraryCoreState = library.core.State;
const LibraryToken = new LibraryCoreState('', library, {}).Token;

const QuickToken = withMethodsOf(
  LibraryToken,
  class {
    type: string;
    tag: string;
    attrs: Token['attrs'];
    map: Token['map'];
    nesting: Nesting;
    level: number;
    children: Token['children'];
    content: string;
    markup: string;
    info: string;
    meta: Token['meta'];
    block: boolean;
    hidden: boolean;

    constructor(type: string, tag: string, nesting: Nesting) {
      this.type = type;
      this.tag = tag;
      this.attrs = null;
      this.map = null;
      this.nesting = nesting;
      this.level = 0;
      this.children = null;
      this.content = '';
      this.markup = '';
      this.info = '';
      this.meta = null;
      this.block = false;
      this.hidden = false;
    }
  },
);

class BlockState extends LibraryBlockState {
  override Token = QuickToken;

  override push(type: string, tag: string, nesting: Nesting): Token {
    spend(stepsOf(type, tag, nesting));
    const token = new QuickToken(type, tag, nesting);
    token.block = true;
    if (nesting < 0) this.level--;
    token.level = this.level;
    if (nesting > 0) this.level++;
    this.tokens.push(token);
    return token;
  }
}

/** Keeps the tokens of the uppermost level only, and of those no ends. All others are written into one that nobody reads. */
class OutlineState extends LibraryBlockState {
  override Token = QuickToken;
  readonly #unread = new QuickToken('', '', 0);

  override push(type: string, tag: string, nesting: Nesting): Token {
    if (nesting < 0) this.level--;
    const kept = this.level === 0 && nesting >= 0;
    spend(kept ? BLOCK : 1);
    const token = kept ? new QuickToken(type, tag, nesting) : this.#unread;
    token.level = this.level;
    if (nesting > 0) this.level++;
    if (kept) this.tokens.push(token);
    return token;
  }
}

const QuickInlineState = withMethodsOf(
  LibraryInlineState,
  class {
    src: string;
    env: Env;
    md: MarkdownIt;
    tokens: Token[];
    tokens_meta: InlineState['tokens_meta'];
    pos: number;
    posMax: number;
    level: number;
    pending: string;
    pendingLevel: number;
    cache: InlineState['cache'];
    backticks: InlineState['backticks'];
    backticksScanned: boolean;
    skipHtmlSpecial: boolean;
    linkLevel: number;
    delimiters: InlineState['delimiters'];
    _prev_delimiters: InlineState['_prev_delimiters'];

    constructor(src: string, md: MarkdownIt, env: Env, tokens: Token[]) {
      this.src = src;
      this.env = env;
      this.md = md;
      this.tokens = tokens;
      this.tokens_meta = new Array(tokens.length);
      this.pos = 0;
      this.posMax = src.length;
      this.level = 0;
      this.pending = '';
      this.pendingLevel = 0;
      this.cache = {};
      this.backticks = {};
      this.backticksScanned = false;
      this.skipHtmlSpecial = false;
      this.linkLevel = 0;
      this.delimiters = [];
      this._prev_delimiters = [];
    }

    pushPending(): Token {
      spend(TOKEN);
      const token = new QuickToken('text', '', 0);
      token.content = this.pending;
      token.level = this.pendingLevel;
      this.tokens.push(token);
      this.pending = '';
      return token;
    }

    push(type: string, tag: string, nesting: Nesting): Token {
      spend(stepsOf(type, tag, nesting));
      if (this.pending !== '') this.pushPending();
      const token = new QuickToken(type, tag, nesting);
      let meta: InlineState['tokens_meta'][number];
      if (nesting < 0) {
        this.level--;
        this.delimiters = this._prev_delimiters.pop() ?? [];
      }
      token.level = this.level;
      if (nesting > 0) {
        this.level++;
        this._prev_delimiters.push(this.delimiters);
        this.delimiters = [];
        meta = { delimiters: this.delimiters };
      }
      this.pendingLevel = this.level;
      this.tokens.push(token);
      this.tokens_meta.push(meta);
      return token;
    }
  },
);

/** Counts emphasis, which has become so only after its tokens were made. */
export function countMarks(tokens: readonly Token[]) {
  for (const { nesting, type } of tokens) {
    if (nesting === 1 && type !== 'link_open') spend(ELEMENT);
  }
}

class CoreState extends LibraryCoreState {
  override Token = QuickToken;
}

/** What the text rule of markdown-it ends at. A text without any of it is one token. */
const MARK = /[\n!#$%&*+\-:<=>@[\\\]^_`{}~]/;

/** Has a parser use these states. */
export function quickStates(md: MarkdownIt) {
  md.core.State = CoreState;
  md.block.State = BlockState;
  md.inline.State = QuickInlineState;
  const parse = md.inline.parse.bind(md.inline);
  md.inline.parse = (source, ...rest) => {
    const tokens = rest[2];
    if (source === '') return;
    foresee(source.length > LONGEST_PARAGRAPH ? Number.POSITIVE_INFINITY : inkOf(source));
    if (MARK.test(source)) {
      parse(source, ...rest);
      return;
    }
    spend(TOKEN);
    const token = new QuickToken('text', '', 0);
    token.content = source;
    tokens.push(token);
  };
}

/** The tokens of the uppermost level of a text, without what is in them. */
export function outline(md: MarkdownIt, source: string, env: Env): Token[] {
  const tokens: Token[] = [];
  if (source === '') return tokens;
  const state = new OutlineState(source, md, env, tokens);
  md.block.tokenize(state, state.line, state.lineMax);
  return tokens;
}

/** The given class, with what it doesn't have taken from another. */
function withMethodsOf<T extends abstract new (...args: never[]) => unknown>(from: T, own: unknown): T {
  const made = own as T;
  Object.setPrototypeOf(made.prototype, from.prototype as object);
  return made;
}
