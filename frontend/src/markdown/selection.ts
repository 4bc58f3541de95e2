/**
 * Converts the selection to elements that describe its structure and not its look. The clipboard text and the quote are
 * created from them. Browsers add their own colors to copied HTML and omit the markers of lists and quotes.
 */
import { codeViewOf } from './codeView';

/** Elements that are kept, without their attributes. All others are boxes, or are replaced by their content. */
const KEPT = new Set(
  'P BR HR STRONG EM B I S DEL CODE PRE A SUP SUB KBD UL OL LI BLOCKQUOTE H1 H2 H3 H4 H5 H6 TABLE THEAD TBODY TR TH TD'.split(
    ' ',
  ),
);
/** Elements that mean little in part: a word in bold stays bold, a row belongs to its table. */
const INLINE = new Set('STRONG EM B I S DEL CODE A SUP SUB KBD'.split(' '));
const OF_TABLES = new Set(['TR', 'THEAD', 'TBODY', 'TABLE']);
/** Elements that mean something even without text. */
const EMPTY = new Set(['HR', 'TH', 'TD']);
const FIELDS = new Set(['INPUT', 'TEXTAREA', 'SELECT']);
/** Elements with an empty line before and after them. */
const APART = new Set('P UL OL PRE BLOCKQUOTE H1 H2 H3 H4 H5 H6 TABLE HR'.split(' '));
const ADDRESS = /^(?:https?:|mailto:|weft:\/\/space\/)/i;

/** Returns what is selected in the page, or undefined if nothing is. */
export function selectedStructure(): DocumentFragment | undefined {
  const selection = document.getSelection();
  if (selection === null || selection.isCollapsed || selection.rangeCount === 0) return undefined;
  return structureOf(selection.getRangeAt(0));
}

/** Writes the clipboard when something outside of fields is copied. Returns a function that stops it. */
export function handleCopy(): () => void {
  const onCopy = (event: ClipboardEvent) => {
    const { target, clipboardData } = event;
    const field =
      target instanceof Element && target.closest('input, textarea, [contenteditable], .xterm') !== null;
    if (event.defaultPrevented || field || clipboardData === null) return;
    const structure = selectedStructure();
    if (structure === undefined) return;
    clipboardData.setData('text/plain', structureText(structure));
    clipboardData.setData('text/html', htmlOf(structure));
    event.preventDefault();
  };
  document.addEventListener('copy', onCopy);
  return () => document.removeEventListener('copy', onCopy);
}

export function structureOf(range: Range): DocumentFragment {
  return new Reader(range).read();
}

/** Reads a range of the page. Computed styles decide what is visible, and as what. */
class Reader {
  readonly #range: Range;
  /** The last text, which may end with a collapsed space, and whether a space would be visible now. */
  #last: Text | undefined;
  #spaced = true;
  /** The checkbox of a task whose text comes next. */
  #mark = '';
  /** Items of lists that were created, and the elements they were created from. */
  readonly #items = new Map<Node, Element>();

  constructor(range: Range) {
    this.#range = trimmed(range);
  }

  read(): DocumentFragment {
    const fragment = document.createDocumentFragment();
    const root = wholeOf(this.#range);
    if (root instanceof Element) this.#element(root, fragment);
    else this.#node(root, fragment, false);
    this.#edge();
    return fragment;
  }

  #node(node: Node, into: ParentNode & Node, side: boolean) {
    if (!this.#range.intersectsNode(node)) return;
    if (node instanceof Text) this.#text(node, into);
    else if (node instanceof Element) this.#element(node, into, side);
  }

  #element(element: Element, into: ParentNode & Node, side = false) {
    if (element.nodeName === 'BR') {
      into.append(document.createElement('br'));
      this.#edge();
      return;
    }
    const style = getComputedStyle(element);
    const { display } = style;
    if (FIELDS.has(element.nodeName) || !isDrawn(style)) return;
    if (element.classList.contains('md-code') || element.nodeName === 'PRE') return this.#code(element, into);
    const said = shownText(element);
    if (said !== undefined) return this.#said(said, into, !display.startsWith('inline'));
    const kept = KEPT.has(element.nodeName);
    const box = !kept && !side && !display.startsWith('inline') && display !== 'contents';
    const made = kept || box ? this.#made(element) : into;
    const block = kept ? !INLINE.has(element.nodeName) : box;
    if (block) this.#edge();
    const row = display.endsWith('flex') && !style.flexDirection.startsWith('column');
    const closed = element instanceof HTMLDetailsElement && !element.open;
    // Selected cells stay in their columns.
    if (element.nodeName === 'TR' && !element.contains(this.#range.commonAncestorContainer))
      for (const cell of element.children)
        if (!this.#range.intersectsNode(cell) && this.#range.comparePoint(cell, 0) < 0)
          made.appendChild(document.createElement(cell.nodeName));
    for (const child of element.childNodes) {
      if (closed && child.nodeName !== 'SUMMARY') continue;
      if (row) this.#word(' ', made, true);
      this.#node(child, made, row);
    }
    if (block) this.#edge();
    if (made === into) return;
    if (element instanceof HTMLOListElement) this.#numbered(element, made);
    if (made.textContent !== '' || EMPTY.has(element.nodeName)) into.append(made);
  }

  /** The first selected item keeps its number. */
  #numbered(list: HTMLOListElement, made: ParentNode & Node) {
    const first = [...list.children].indexOf(this.#items.get(made.firstChild as Node) as Element);
    const start = list.start + Math.max(first, 0);
    if (start !== 1 && made instanceof Element) made.setAttribute('start', String(start));
  }

  #said(said: string, into: ParentNode & Node, apart: boolean) {
    const made = apart ? document.createElement('div') : into;
    if (apart) this.#edge();
    for (const [at, line] of said.trim().split('\n').entries()) {
      if (at > 0) made.append(document.createElement('br'));
      this.#word(line, made);
    }
    if (!apart) return;
    into.append(made);
    this.#edge();
  }

  #made(element: Element): HTMLElement {
    const heading = /(?:^|\s)md-h([1-6])(?:\s|$)/.exec(element.className)?.[1];
    const name = heading === undefined ? element.nodeName : `H${heading}`;
    const made = document.createElement(KEPT.has(name) ? name : 'div');
    const address = element.getAttribute('href') ?? '';
    if (name === 'A' && ADDRESS.test(address)) made.setAttribute('href', address);
    if (name === 'LI') this.#items.set(made, element);
    // A partly selected task keeps its checkbox.
    if (name === 'LI' && element.classList.contains('md-task'))
      this.#mark =
        element.querySelector('.md-task-mark')?.getAttribute('data-md-done') === 'true' ? '[x] ' : '[ ] ';
    return made;
  }

  /** Reads code, in which every space counts. */
  #code(block: Element, into: ParentNode & Node) {
    const pre = block.nodeName === 'PRE' ? block : block.querySelector('pre');
    // Code that is shown as a diagram is copied as a whole.
    const drawn = pre === null || getComputedStyle(pre).display !== 'none';
    const text = pre === null ? '' : drawn ? this.#slice(pre) : (codeViewOf(block)?.code ?? pre.textContent);
    if (text === '') return;
    const language = codeViewOf(block.closest('.md-code') ?? block)?.language ?? '';
    const code = document.createElement('code');
    if (language !== '') code.className = `language-${language}`;
    code.textContent = text.replace(/\n$/, '');
    const made = document.createElement('pre');
    made.append(code);
    this.#edge();
    into.append(made);
    this.#edge();
  }

  /** The selected text of an element. */
  #slice(element: Element): string {
    const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
    let text = '';
    for (let node = walker.nextNode(); node !== null; node = walker.nextNode())
      if (this.#range.intersectsNode(node)) text += this.#selected(node as Text);
    return text;
  }

  #selected(node: Text): string {
    const { startContainer, startOffset, endContainer, endOffset } = this.#range;
    return node.data.slice(
      node === startContainer ? startOffset : 0,
      node === endContainer ? endOffset : node.data.length,
    );
  }

  #text(node: Text, into: ParentNode & Node) {
    const parent = node.parentElement;
    const space = parent === null ? '' : getComputedStyle(parent).whiteSpace;
    const text = this.#selected(node);
    if (!/^(?:pre|break-spaces)/.test(space))
      return this.#word(text.replace(/[ \t\n\r\f]+/g, ' '), into, true);
    for (const [at, line] of text.split('\n').entries()) {
      if (at > 0) into.append(document.createElement('br'));
      if (line !== '') this.#word(line, into);
    }
  }

  #word(text: string, into: ParentNode & Node, folds = false) {
    const shown = folds && this.#spaced ? text.replace(/^ /, '') : text;
    if (shown === '') return;
    const node = document.createTextNode(this.#mark + shown);
    this.#mark = '';
    into.append(node);
    this.#spaced = folds && shown.endsWith(' ');
    this.#last = folds ? node : undefined;
  }

  /** Ends the line: spaces around a line break collapse. */
  #edge() {
    if (this.#last !== undefined) this.#last.data = this.#last.data.replace(/ $/, '');
    this.#last = undefined;
    this.#spaced = true;
  }
}

/**
 * Reports whether a selection includes it. Hidden content and text for screen readers are not part of the visible page.
 */
function isDrawn(style: CSSStyleDeclaration): boolean {
  return (
    style.display !== 'none' &&
    style.visibility !== 'hidden' &&
    style.getPropertyValue('-webkit-user-select') !== 'none' &&
    style.clipPath !== 'inset(50%)'
  );
}

/** Returns the text for an element that doesn't show its own text. */
function shownText(element: Element): string | undefined {
  const { classList } = element;
  if (classList.contains('md-math')) return (element.querySelector('.md-math-source') ?? element).textContent;
  if (classList.contains('md-image')) return element.getAttribute('data-md-alt') ?? element.textContent;
  return undefined;
}

/**
 * Returns a range without what a browser adds at its end: a click on a paragraph selects up to the start of the next
 * one.
 */
function trimmed(range: Range): Range {
  const short = range.cloneRange();
  const root = range.commonAncestorContainer;
  if (root instanceof Text || range.endOffset > 0) return short;
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  let last: Text | undefined;
  for (let node = walker.nextNode() as Text | null; node !== null; node = walker.nextNode() as Text | null) {
    if (range.comparePoint(node, 0) > 0 || node === range.endContainer || range.endContainer.contains(node))
      break;
    if (node.data.trim() !== '') last = node;
  }
  if (last !== undefined && range.intersectsNode(last)) short.setEnd(last, last.data.length);
  return short;
}

/**
 * Returns the smallest part of the page that shows what the selection means, such as the whole list of some selected
 * items.
 */
function wholeOf(range: Range): Node {
  let root = range.commonAncestorContainer;
  const within = root instanceof Element ? root : root.parentElement;
  const pre = within?.closest('pre');
  if (pre != null && range.toString().includes('\n')) root = pre;
  root = within?.closest('.md-math') ?? root;
  while (root instanceof Text || goesOn(root)) {
    const { parentElement } = root;
    if (parentElement === null || (root instanceof Text && !INLINE.has(parentElement.nodeName))) break;
    root = parentElement;
  }
  return root;

  function goesOn(node: Node): boolean {
    if (!(node instanceof Element)) return false;
    const { nodeName, parentElement } = node;
    if (nodeName === 'LI') return node.querySelector('ul, ol, p, pre, blockquote') !== null;
    if (nodeName === 'TABLE') return false;
    return OF_TABLES.has(nodeName) || (parentElement !== null && INLINE.has(parentElement.nodeName));
  }
}

/** Converts to plain text. Lists, tasks and quotes keep their markers; with `fenced`, so does code. */
export function structureText(structure: ParentNode, fenced = false): string {
  return blocks(structure, fenced);
}

/** Converts to HTML. Significant spaces outside code become non-breaking spaces. */
function htmlOf(structure: DocumentFragment): string {
  const walker = document.createTreeWalker(structure, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode() as Text | null; node !== null; node = walker.nextNode() as Text | null)
    if (node.parentElement?.closest('pre') == null) node.data = node.data.replace(/ (?= )/g, '\u00a0');
  const box = document.createElement('div');
  box.append(structure);
  return box.innerHTML;
}

/** `tight`: inside an item of a list without empty lines. */
function blocks(parent: ParentNode, fenced: boolean, tight = false): string {
  let text = '';
  let apart = false;
  let line = '';
  const add = (block: string, is: boolean) => {
    if (block === '') return;
    text += text === '' ? block : `${!tight && (is || apart) ? '\n\n' : '\n'}${block}`;
    apart = is;
  };
  const end = () => {
    add(line.replace(/\n$/, ''), false);
    line = '';
  };
  for (const child of parent.childNodes) {
    if (!(child instanceof Element) || INLINE.has(child.nodeName) || child.nodeName === 'BR') {
      line += inline(child);
      continue;
    }
    end();
    add(block(child, fenced), isApart(child));
  }
  end();
  return text;
}

function inline(node: Node): string {
  if (node.nodeName === 'BR') return '\n';
  if (!(node instanceof Element)) return node.textContent ?? '';
  return [...node.childNodes].map(inline).join('');
}

function isApart(element: Element): boolean {
  if (APART.has(element.nodeName)) return true;
  return element.nodeName === 'DIV' && [...element.children].some(isApart);
}

function block(element: Element, fenced: boolean): string {
  switch (element.nodeName) {
    case 'UL':
    case 'OL':
      return list(element, fenced);
    case 'BLOCKQUOTE':
      return prefixed(blocks(element, fenced), '> ', '> ');
    case 'HR':
      return '---';
    case 'PRE':
      return fenced ? fence(element) : (element.textContent ?? '');
    case 'TABLE':
      return [...element.querySelectorAll('tr')]
        .map((row) =>
          [...row.children].map((cell) => blocks(cell, fenced, true).replaceAll('\n', ' ')).join('\t'),
        )
        .join('\n');
    default:
      return blocks(element, fenced);
  }
}

function list(element: Element, fenced: boolean): string {
  let number = element instanceof HTMLOListElement ? element.start : undefined;
  const loose = element.querySelector(':scope > li > p') !== null;
  const items = [...element.children].map((item) => {
    const marker = number === undefined ? '- ' : `${number++}. `;
    return prefixed(blocks(item, fenced, !loose), marker, ' '.repeat(marker.length));
  });
  return items.join(loose ? '\n\n' : '\n');
}

function fence(pre: Element): string {
  const text = pre.textContent ?? '';
  // Longer than any fence inside.
  const marks = '`'.repeat(Math.max(3, ...[...text.matchAll(/`{3,}/g)].map(([inner]) => inner.length + 1)));
  const language = pre.querySelector('code')?.className.replace('language-', '') ?? '';
  return `${marks}${language}\n${text}\n${marks}`;
}

function prefixed(text: string, first: string, further: string): string {
  return text
    .split('\n')
    .map((line, at) => (at === 0 ? first : line === '' ? further.trimEnd() : further) + line)
    .join('\n');
}
