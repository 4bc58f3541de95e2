/**
 * Finds where a browser may stop while it breaks a text into lines. It shapes connected letters as one run and
 * processes the rest of a run again for each line, so the time grows with the square of the run length. In some fonts
 * nearly a whole text is one run: letters change their shape next to others, even across spaces. A `<wbr>` ends a run;
 * it is invisible and not copied.
 */

/** A run ends after this many characters, at the next possible line break. */
const RUN = 256;
/** A longer word may be broken anywhere, which ends a run at each step. */
const LONG_WORD = 128;
const WORD_STEP = 32;

/** Finds the ends of runs in a text. The result does not depend on the pieces in which the text arrives. */
export class RunBreaks {
  #run = 0;
  #word = 0;
  #before = 0;

  /** Returns the positions in the next piece at which a run ends. */
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

  /** Starts a new paragraph. */
  end() {
    this.#run = 0;
    this.#word = 0;
    this.#before = 0;
  }
}

/** Breaks the runs of all text below a node except code, which is shown line by line. */
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

/** Reports whether it is a Chinese character or a Korean syllable, between which a line may break. */
function isIdeograph(code: number): boolean {
  return (code >= 0x4e00 && code < 0xa000) || (code >= 0xac00 && code < 0xd7a4);
}

/**
 * Reports whether a character stays on the line of the previous one: a space, or the second half of a surrogate pair.
 */
function belongs(before: number, code: number): boolean {
  const first = before >= 0xd800 && before < 0xdc00;
  return isSpace(code) || (first && code >= 0xdc00 && code < 0xe000);
}
