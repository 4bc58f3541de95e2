/**
 * Where a browser may stop while it breaks a text into lines. It reads letters that belong together as one run, and reads what is left of a
 * run again for each line, so that the time grows with the square of the run. With some fonts, that is nearly all of a text: letters
 * look different beside others, also across spaces. A `<wbr>` ends a run. It is drawn as nothing and not copied.
 */

/** Characters after which a run ends, where there may be a line break anyway. */
const RUN = 256;
/** A longer word may be broken anywhere, and then ends a run at each step. */
const LONG_WORD = 128;
const WORD_STEP = 32;

/** Finds where a text ends its runs. The text may come in pieces: where it is broken doesn't depend on them. */
export class RunBreaks {
  #run = 0;
  #word = 0;
  #before = 0;

  /** The places in the next piece before which a run ends. */
  take(text: string): number[] {
    const places: number[] = [];
    for (let i = 0; i < text.length; i++) {
      const code = text.charCodeAt(i);
      const free = mayBreak(this.#before, code);
      if (free) this.#word = 0;
      const due = free ? this.#run >= RUN : this.#word >= LONG_WORD && this.#word % WORD_STEP === 0;
      if (due && !belongs(this.#before, code)) {
        places.push(i);
        this.#run = 0;
      }
      this.#run += 1;
      this.#word = isSpace(code) ? 0 : this.#word + 1;
      this.#before = code;
    }
    return places;
  }

  /** What follows is another paragraph. */
  end() {
    this.#run = 0;
    this.#word = 0;
    this.#before = 0;
  }
}

/** Breaks the runs of all text below a node, but for code, which has lines of its own. */
export function breakRuns(root: DocumentFragment) {
  const breaks = new RunBreaks();
  const found: { readonly node: Text; readonly places: readonly number[] }[] = [];
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT, notCode);
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    if (!(node instanceof Text)) {
      if (!INLINE.has(node.nodeName)) breaks.end();
      continue;
    }
    const places = breaks.take(node.data);
    if (places.length > 0) found.push({ node, places });
  }
  for (const { node, places } of found) {
    for (const place of places.toReversed()) node.splitText(place).before(document.createElement('wbr'));
  }
}

const INLINE = new Set(['A', 'EM', 'STRONG', 'S', 'CODE', 'SPAN', 'SUP']);

function notCode(node: Node): number {
  return node.nodeName === 'PRE' ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_ACCEPT;
}

function mayBreak(before: number, code: number): boolean {
  return isSpace(before) || (isIdeograph(before) && isIdeograph(code));
}

function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x09;
}

/** A Chinese character or a Korean syllable: there may be a line break between two of them. */
function isIdeograph(code: number): boolean {
  return (code >= 0x4e00 && code < 0xa000) || (code >= 0xac00 && code < 0xd7a4);
}

/** A space, which ends a line rather than begin one, or the second half of a pair. */
function belongs(before: number, code: number): boolean {
  const first = before >= 0xd800 && before < 0xdc00;
  return isSpace(code) || (first && code >= 0xdc00 && code < 0xe000);
}
