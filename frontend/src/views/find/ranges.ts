import { matchesIn } from './fold';

// Finds matches in rendered text. A match may span text nodes, as in bold text and highlighted code, but not blocks.

export interface Found {
  /** Static, because the browser would update each live range whenever something is added to the page. */
  range: StaticRange;
  /** Surrounding text in its block. */
  before: string;
  after: string;
}

/** Elements of a transcript with text from users and agents. */
const content = [
  ...['.prose', '.prompt-text', '.tool-title', '.tool-note', '.detail', '.thought-text', '.nest-text'],
  ...['.display', '.resource', '.error-block', '.found-apart', '.request-card', '.detail-error'],
].join(', ');
/** Parts of these with Weft's own text. */
const ownText = [
  ...[
    '.visually-hidden',
    '[aria-hidden="true"]',
    '.text-button',
    '.detail-title',
    '.terminal-foot',
    '.counts',
    '.md-code-copy',
    '.error-code',
  ],
  ...[
    '.disclosure',
    '.display-menu',
    '.katex-mathml',
    'svg',
    'button.button',
    '.xterm',
    'script',
    'style',
    'time',
  ],
].join(', ');
const blocks =
  'p, li, td, th, pre, h1, h2, h3, h4, h5, h6, dd, dt, blockquote, div, section, figure, figcaption, summary, details, article, button, header, footer, tr';
/** How much surrounding text is returned, in UTF-16 units. */
const around = 80;

interface Run {
  block: Element | null;
  nodes: { node: Text; from: number }[];
  text: string;
}

/** Returns the matches of a folded query in rendered elements, in page order, up to a limit. */
export function matchesWithin(roots: Iterable<Element>, query: string, most = 2000): Found[] {
  const found: Found[] = [];
  for (const root of roots) {
    const parts = root.matches(content) || root.closest(content) !== null ? [root] : topmost(root);
    for (const part of parts) {
      collect(part, query, most, found);
      if (found.length >= most) return found;
    }
  }
  return found;
}

/** Converts it to a live range. */
export function liveRange(of: StaticRange): Range {
  const range = document.createRange();
  range.setStart(of.startContainer, of.startOffset);
  range.setEnd(of.endContainer, of.endOffset);
  return range;
}

function topmost(root: Element): Element[] {
  const parts: Element[] = [];
  for (const part of root.querySelectorAll(content))
    if (parts.at(-1)?.contains(part) !== true) parts.push(part);
  return parts;
}

function collect(root: Element, query: string, most: number, into: Found[]): void {
  if (root.closest(ownText) !== null) return;
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT, (node) =>
    node instanceof Element && node.matches(ownText) ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_ACCEPT,
  );
  let run: Run = { block: null, nodes: [], text: '' };
  const end = () => {
    if (run.text !== '') inRun(run, query, most, into);
    run = { block: null, nodes: [], text: '' };
  };
  for (let node = walker.nextNode(); node !== null && into.length < most; node = walker.nextNode()) {
    if (node instanceof Element) {
      if (node.localName === 'br') end();
      continue;
    }
    const text = node as Text;
    const block = text.parentElement?.closest(blocks) ?? null;
    if (block !== run.block) {
      end();
      run.block = block;
    }
    run.nodes.push({ node: text, from: run.text.length });
    // A line break in a paragraph is rendered as a space.
    run.text += text.parentElement?.closest('pre') == null ? text.data.replaceAll('\n', ' ') : text.data;
  }
  end();
}

function inRun({ nodes, text }: Run, query: string, most: number, into: Found[]): void {
  let at = 0;
  for (const { from, to } of matchesIn(text, query, most - into.length)) {
    while (at + 1 < nodes.length && (nodes[at + 1]?.from ?? 0) <= from) at++;
    const first = nodes[at];
    let end = at;
    while (end + 1 < nodes.length && (nodes[end + 1]?.from ?? 0) < to) end++;
    const last = nodes[end];
    if (first === undefined || last === undefined) return;
    into.push({
      range: new StaticRange({
        startContainer: first.node,
        startOffset: from - first.from,
        endContainer: last.node,
        endOffset: to - last.from,
      }),
      before: text.slice(Math.max(0, from - around), from),
      after: text.slice(to, to + around),
    });
  }
}
