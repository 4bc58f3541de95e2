/**
 * Turns markdown source into safe DOM. The parser already escapes HTML; its output is checked against a short
 * allowlist, so that a mistake in a rule cannot become script.
 */
import type { OpenFolds } from './folds/folds';
import { withoutLinks } from './folds/rules';
import { type Env, parseBlocks, parser, type Token } from './parser';
import { breakRuns } from './runs';
import { bounded, boundedShared, MORE_STEPS, SharedBudget } from './work';

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
  // Shown, never loaded: the address of an image is only read after a click, and checked again then.
  'data-md-language',
  'data-md-src',
  'data-md-host',
  'data-md-done',
  'data-md-tex',
  'data-md-display',
  'data-md-open',
]);
const ADDRESS = /^(?:https?:|mailto:|weft:\/\/space\/)/i;

/** Shared by the blocks of one text. */
export interface MarkdownContext {
  readonly references: References;
  readonly spare: SharedBudget;
  readonly folds: OpenFolds;
  /** Shows the source as written: no folds, formulas or diagrams. */
  readonly exact: boolean;
}

/** The block that is rendered, and the remaining budget of the text. */
export interface Part {
  readonly spare: SharedBudget;
  readonly block: object;
}

/**
 * Returns the unchecked HTML of one source, or undefined if it would take too much work. `references` are only read.
 * `open`: the source may still grow. `exact`: tags and comments are text.
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
  const { spare, block } = part ?? { spare: new SharedBudget(), block: {} };
  return boundedShared(source.length, render, spare, block);
}

/**
 * Returns the nodes of the parser's HTML, or undefined if it contains anything that is not allowed. This is the only
 * way from HTML text into the page. The HTML is parsed once, in an inert document, and never serialized again, so a
 * second parse can't differ.
 */
export function toFragment(html: string): DocumentFragment | undefined {
  const template = document.createElement('template');
  template.innerHTML = html;
  const { content } = template;
  for (const element of content.querySelectorAll('*')) if (!isAllowed(element)) return undefined;
  const others = NodeFilter.SHOW_ALL & ~NodeFilter.SHOW_ELEMENT & ~NodeFilter.SHOW_TEXT;
  // A walker doesn't visit the fragment itself.
  if (document.createTreeWalker(content, others).nextNode() !== null) return undefined;
  breakRuns(content);
  return content;
}

/** Elements outside the HTML namespace have lower-case names, which are not on the list. */
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

/** Returns a text without its markdown syntax. */
export function plainText(source: string): string {
  const html = renderHtml(source);
  const text = html === undefined ? undefined : toFragment(html)?.textContent;
  return (text ?? source).trim();
}

/** Returns the HTML of one line without links, for use inside a button, or undefined if it would take too much work. */
export function renderLine(text: string): string | undefined {
  return bounded(text.length, () => {
    const env: Env = {};
    const tokens = parser.parseInline(text.replaceAll('\n', ' '), env);
    for (const token of tokens) withoutLinks(token);
    return parser.renderer.render(tokens, parser.options, env);
  });
}

/**
 * Returns what a finished source defines for the whole document and adds its link references; the first definition of a
 * name wins.
 */
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

/** Returns the code of a source that starts with a fence. */
export function fenceOf(source: string): { readonly language: string; readonly code: string } {
  const token = parseBlocks(source, {}).find(({ type }) => type === 'fence');
  if (token === undefined) return { language: '', code: source };
  const info = parser.utils.unescapeAll(token.info).trim();
  return { language: info.split(/[\s{,]/, 1)[0] ?? '', code: token.content };
}

/**
 * Returns the HTML of a document with footnotes: they are numbered across the whole text, so it is parsed once as a
 * whole and cut at the given blocks. The last entry is the list of notes. Empty if it would take too much work.
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
