/**
 * Markdown source to safe DOM. The parser already writes no foreign HTML; what it has written is checked against a short list
 * of what may be in it, so that a mistake in a rule cannot become script.
 */
import type { OpenFolds } from './folds/folds';
import { withoutLinks } from './folds/rules';
import { type Env, parseBlocks, parser, type Token } from './parser';
import { breakRuns } from './runs';
import { bounded, boundedOf, MORE_STEPS, Spare } from './work';

export type References = NonNullable<Env['references']>;

const TAGS = new Set(
  'P BR HR STRONG EM S CODE PRE A SPAN SUP SUB KBD UL OL LI BLOCKQUOTE H3 H4 H5 H6 TABLE THEAD TBODY TR TH TD DIV SECTION'.split(
    ' ',
  ),
);
const ATTRIBUTES = new Set([
  'class',
  'title',
  'rel',
  'target',
  'dir',
  'start',
  // Shown, never loaded: the address of an image is read only after a click, and checked again then.
  'data-md-language',
  'data-md-src',
  'data-md-host',
  'data-md-done',
  'data-md-tex',
  'data-md-display',
  'data-md-open',
]);
const ADDRESS = /^(?:https?:|mailto:|weft:\/\/space\/)/i;

/** What the blocks of one text share. */
export interface MarkdownContext {
  readonly references: References;
  readonly spare: Spare;
  readonly folds: OpenFolds;
  /** The text is shown as it was written: nothing in it is folded, and no formula or diagram is drawn. */
  readonly exact: boolean;
}

/** The block of a text that is rendered, and what the text has to spare. */
export interface Part {
  readonly spare: Spare;
  readonly block: object;
}

/**
 * The HTML of one source, not yet checked; undefined where it would take too much work. `references` are read, and kept
 * as they are. `open`: the source may still grow. `exact`: tags and comments are text.
 */
export function renderHtml(
  source: string,
  references: References = {},
  part?: Part,
  open = false,
  exact = false,
): string | undefined {
  const render = () =>
    parser.render(source, { references: Object.create(references) as References, open, exact });
  const { spare, block } = part ?? { spare: new Spare(), block: {} };
  return boundedOf(source.length, render, spare, block);
}

/**
 * The nodes of HTML that the parser has written, undefined if anything in it may not be there. The only way from HTML text into the
 * page. The HTML is read once, in a document in which nothing is loaded or run, and never written again, so that there is no second
 * reading of it that could differ.
 */
export function toFragment(html: string): DocumentFragment | undefined {
  const template = document.createElement('template');
  template.innerHTML = html;
  const { content } = template;
  for (const element of content.querySelectorAll('*')) if (!isAllowed(element)) return undefined;
  const others = NodeFilter.SHOW_ALL & ~NodeFilter.SHOW_ELEMENT & ~NodeFilter.SHOW_TEXT;
  // The fragment itself is no node that a walker comes to.
  if (document.createTreeWalker(content, others).nextNode() !== null) return undefined;
  breakRuns(content);
  return content;
}

/** Elements of other languages than HTML have names in lower case, which are not on the list. */
function isAllowed(element: Element): boolean {
  if (!TAGS.has(element.tagName)) return false;
  if (!element.hasAttributes()) return true;
  for (const { name, value } of element.attributes) {
    const allowed = name === 'href' ? element.tagName === 'A' && ADDRESS.test(value) : ATTRIBUTES.has(name);
    if (!allowed) return false;
  }
  return true;
}

export interface Definitions {
  /** How many link references were new. */
  readonly added: number;
  readonly footnotes: boolean;
}

/** A text as it is read: without the marks of Markdown. */
export function plainText(source: string): string {
  const html = renderHtml(source);
  const text = html === undefined ? undefined : toFragment(html)?.textContent;
  return (text ?? source).trim();
}

/** The HTML of one line, without links: for what is within a button. Undefined where it would take too much work. */
export function renderLine(text: string): string | undefined {
  return bounded(text.length, () => {
    const env: Env = {};
    const tokens = parser.parseInline(text.replaceAll('\n', ' '), env);
    for (const token of tokens) withoutLinks(token);
    return parser.renderer.render(tokens, parser.options, env);
  });
}

/** What a finished source defines for the whole document. Adds its link references; the first of a name wins. */
export function collectDefinitions(source: string, references: References): Definitions {
  if (!source.includes(']:')) return { added: 0, footnotes: false };
  const own: References = {};
  const tokens = parseBlocks(source, { references: own });
  let added = 0;
  for (const [name, reference] of Object.entries(own)) {
    if (Object.hasOwn(references, name)) continue;
    references[name] = reference;
    added += 1;
  }
  return { added, footnotes: tokens.some((token) => token.type === 'footnote_reference_open') };
}

/** The code of a source whose first block is a fence. */
export function fenceOf(source: string): { readonly language: string; readonly code: string } {
  const token = parseBlocks(source, {}).find(({ type }) => type === 'fence');
  if (token === undefined) return { language: '', code: source };
  const info = parser.utils.unescapeAll(token.info).trim();
  return { language: info.split(/[\s{,]/, 1)[0] ?? '', code: token.content };
}

/**
 * HTML of a document with footnotes: their numbers run through the whole text, so it is parsed once as
 * a whole and cut at the given blocks. The last entry is the list of notes. Nothing where it would take too much work.
 */
export function renderWithFootnotes(sources: readonly string[], exact = false): string[] {
  const env: Env = { exact };
  const text = sources.join('');
  const tokens = bounded(text.length, () => parser.parse(text, env), MORE_STEPS);
  if (tokens === undefined) return [];
  const ends: number[] = [];
  let line = 0;
  for (const source of sources) {
    line += count(source, '\n');
    ends.push(line);
  }
  const slices: Token[][] = [...sources, ''].map(() => []);
  let block = 0;
  for (const token of tokens) {
    if (token.type === 'footnote_block_open') block = sources.length;
    else if (token.level === 0 && token.nesting >= 0 && token.map !== null) {
      const start = token.map[0];
      while (block < sources.length - 1 && start >= (ends[block] ?? 0)) block += 1;
    }
    slices[block]?.push(token);
  }
  return slices.map((slice) => parser.renderer.render(slice, parser.options, env));
}

function count(text: string, char: string): number {
  let found = 0;
  for (let at = text.indexOf(char); at >= 0; at = text.indexOf(char, at + 1)) found += 1;
  return found;
}
