import { matchesIn } from './fold';

// Matches in what is drawn. A match may begin in one text node and end in another, as in bold text and colored code, but not in
// another block.

export interface Found {
  /** One that isn't kept up to date: the browser would look at each of them whenever anything is added to the page. */
  range: StaticRange;
  /** What is around it in its block. */
  before: string;
  after: string;
}

/** What of a transcript has words of its users and agents. */
const content = [
  ...['.prose', '.prompt-text', '.tool-title', '.tool-note', '.detail', '.thought-text', '.nest-text'],
  ...['.display', '.resource', '.error-block', '.found-apart', '.request-card', '.detail-error'],
].join(', ');
/** What of these are words of Weft. */
const chrome = [
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
/** What is returned of what is around a match, in UTF-16 units. */
const around = 80;

interface Run {
  block: Element | null;
  nodes: { node: Text; from: number }[];
  text: string;
}

/** The matches of a folded query in what is drawn inside of elements, in the order of the page; at most so many. */
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

/** The same as a range that is kept up to date. */
export function live(of: StaticRange): Range {
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
  if (root.closest(chrome) !== null) return;
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT, (node) =>
    node instanceof Element && node.matches(chrome) ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_ACCEPT,
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
    // A line that ends in a paragraph is drawn as a space.
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
