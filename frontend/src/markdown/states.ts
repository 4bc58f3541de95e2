/**
 * Faster states and tokens for markdown-it. The library fills its own ones field by field through a helper, which takes
 * a third of the parse time. The methods are inherited from the library. They also count the steps for the output (see
 * work.ts).
 */
import MarkdownParser, { type Env, type MarkdownIt, type Token } from 'markdown-it';
import { drawingCostOf } from './drawingCost';
import { reserve, spend } from './work';

type Nesting = Token['nesting'];
type InlineState = InstanceType<MarkdownIt['inline']['State']>;

/** Steps of a token (created, visited by several rules and rendered), and of one that becomes an element. */
const TOKEN = 3;
const ELEMENT = 45;
const INLINE_CODE = 70;
/** Steps of a code block, which has a header and a button, and of an image, which has a button. */
const CODE = 400;
const IMAGE = 200;
/** Steps of a formula until it is drawn, which has its own budget. */
const MATH = 60;
/** Steps of a top-level block, which is stored, grouped and may become a view. */
const BLOCK = 30;

/** A longer paragraph is not formatted, because it is laid out as a whole. In characters. */
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

const FastToken = withMethodsOf(
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
  override Token = FastToken;

  override push(type: string, tag: string, nesting: Nesting): Token {
    spend(stepsOf(type, tag, nesting));
    const token = new FastToken(type, tag, nesting);
    token.block = true;
    if (nesting < 0) this.level--;
    token.level = this.level;
    if (nesting > 0) this.level++;
    this.tokens.push(token);
    return token;
  }
}

/** Keeps only the opening tokens of the top level. All others are written into one token that nobody reads. */
class OutlineState extends LibraryBlockState {
  override Token = FastToken;
  readonly #unread = new FastToken('', '', 0);

  override push(type: string, tag: string, nesting: Nesting): Token {
    if (nesting < 0) this.level--;
    const kept = this.level === 0 && nesting >= 0;
    spend(kept ? BLOCK : 1);
    const token = kept ? new FastToken(type, tag, nesting) : this.#unread;
    token.level = this.level;
    if (nesting > 0) this.level++;
    if (kept) this.tokens.push(token);
    return token;
  }
}

const FastInlineState = withMethodsOf(
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
      const token = new FastToken('text', '', 0);
      token.content = this.pending;
      token.level = this.pendingLevel;
      this.tokens.push(token);
      this.pending = '';
      return token;
    }

    push(type: string, tag: string, nesting: Nesting): Token {
      spend(stepsOf(type, tag, nesting));
      if (this.pending !== '') this.pushPending();
      const token = new FastToken(type, tag, nesting);
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

/** Counts emphasis, which is only known after its tokens were created. */
export function countMarks(tokens: readonly Token[]) {
  for (const { nesting, type } of tokens) {
    if (nesting === 1 && type !== 'link_open') spend(ELEMENT);
  }
}

class CoreState extends LibraryCoreState {
  override Token = FastToken;
}

/** Characters at which markdown-it's text rule stops. A text without them is a single token. */
const MARK = /[\n!#$%&*+\-:<=>@[\\\]^_`{}~]/;

/** Makes a parser use these states. */
export function installFastStates(md: MarkdownIt) {
  md.core.State = CoreState;
  md.block.State = BlockState;
  md.inline.State = FastInlineState;
  const parse = md.inline.parse.bind(md.inline);
  md.inline.parse = (source, ...rest) => {
    const tokens = rest[2];
    if (source === '') return;
    reserve(source.length > LONGEST_PARAGRAPH ? Number.POSITIVE_INFINITY : drawingCostOf(source));
    if (MARK.test(source)) {
      parse(source, ...rest);
      return;
    }
    spend(TOKEN);
    const token = new FastToken('text', '', 0);
    token.content = source;
    tokens.push(token);
  };
}

/** Returns the top-level tokens of a text, without their content. */
export function outline(md: MarkdownIt, source: string, env: Env): Token[] {
  const tokens: Token[] = [];
  if (source === '') return tokens;
  const state = new OutlineState(source, md, env, tokens);
  md.block.tokenize(state, state.line, state.lineMax);
  return tokens;
}

/** Adds the methods of one class to another that lacks them, and returns the latter. */
function withMethodsOf<T extends abstract new (...args: never[]) => unknown>(from: T, own: unknown): T {
  const made = own as T;
  Object.setPrototypeOf(made.prototype, from.prototype as object);
  return made;
}
