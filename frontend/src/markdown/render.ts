/**
 * Markdown source to safe DOM. The parser already writes no foreign HTML; DOMPurify stands behind it
 * with a short list of what may pass, so that a mistake in a rule cannot become script.
 */
import DOMPurify, { type Config } from 'dompurify';
import { type Env, parseBlocks, parser, type Token } from './parser';
import { bounded } from './work';

export type References = NonNullable<Env['references']>;

const DATA = ['data-md-language', 'data-md-src', 'data-md-host', 'data-md-done'];
const TAGS =
  'p br hr strong em s code pre a span sup ul ol li blockquote h3 h4 h5 h6 table thead tbody tr th td div section';

const SAFE: Config = {
  ALLOWED_TAGS: TAGS.split(' '),
  ALLOWED_ATTR: ['class', 'href', 'title', 'rel', 'target', 'dir', 'start', ...DATA],
  // Shown, never loaded: data-md-src is read only after a click, and checked again then.
  ADD_URI_SAFE_ATTR: ['rel', 'target', 'dir', 'start', ...DATA],
  ALLOWED_URI_REGEXP: /^(?:https?|mailto):/i,
  ALLOW_ARIA_ATTR: false,
  ALLOW_DATA_ATTR: false,
  KEEP_CONTENT: true,
  // Nodes, not text: no second parse that could read it differently.
  RETURN_DOM_FRAGMENT: true,
};

/** A sanitiser of our own: its list of what may pass is read once, not with every call. */
const purify = DOMPurify(window);
purify.setConfig(SAFE);

/**
 * The HTML of one source, not yet sanitised; undefined where it would take too much work. `references` are read, and kept
 * as they are.
 */
export function renderHtml(source: string, references: References = {}): string | undefined {
  return bounded(source.length, () =>
    parser.render(source, { references: Object.create(references) as References }),
  );
}

/** Sanitised nodes of HTML. The only way from HTML text into the page. */
export function toFragment(html: string): DocumentFragment {
  // With RETURN_DOM_FRAGMENT set the sanitiser returns nodes, which its types cannot know.
  return purify.sanitize(html) as unknown as DocumentFragment;
}

export interface Definitions {
  /** How many link references were new. */
  readonly added: number;
  readonly footnotes: boolean;
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
export function renderWithFootnotes(sources: readonly string[]): string[] {
  const env: Env = {};
  const text = sources.join('');
  const tokens = bounded(text.length, () => parser.parse(text, env));
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
