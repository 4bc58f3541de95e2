/**
 * Bounds the work of a parse. Hostile text can make a parser scan the rest once per character, or create a node per
 * character, so the steps are counted, and a parse with too many of them is aborted: the text is then shown as plain
 * text. Steps are counted instead of time so that a text looks the same on every machine. A step takes about 0.1 µs.
 */
import type { MarkdownIt } from 'markdown-it';

/** Steps allowed for every parse, and per character. Ordinary text takes two to four per character. */
const BASE = 300;
const PER_CHARACTER = 6;
/**
 * The same beyond the first characters. A longer block is shown all at once, even if only a little of it is visible.
 */
const LONG = 4 * 1024;
const PER_LATER_CHARACTER = 2.5;
/** Extra steps that all blocks of a text share, for dense content such as a table of short cells. */
export const SHARED_STEPS = 60_000;
/** Extra steps for a parse that is done once for a lot of text. */
export const MORE_STEPS = 20_000;

function own(length: number): number {
  return BASE + PER_CHARACTER * Math.min(length, LONG) + PER_LATER_CHARACTER * Math.max(0, length - LONG);
}

class TooMuchWork extends Error {}

let left = Number.POSITIVE_INFINITY;
let taken = 0;

/** Counts steps of the current parse, and aborts it if there are too many. */
export function spend(steps: number) {
  taken += steps;
  left -= steps;
  if (left < 0) throw new TooMuchWork();
}

/**
 * Counts steps that parsed content will take later. If there are too many, the parse is aborted and they are never
 * taken.
 */
export function reserve(steps: number) {
  if (steps > left) throw new TooMuchWork();
  spend(steps);
}

/** The extra steps that the blocks of one text share. A block that is shown again gets the same allowance as before. */
export class SharedBudget {
  #left = SHARED_STEPS;
  readonly #given = new WeakMap<object, number>();

  /** Returns the extra steps that the block may take. */
  for(block: object): number {
    return this.#given.get(block) ?? this.#left;
  }

  /** Records the extra steps that the block took. */
  took(block: object, steps: number) {
    if (this.#given.has(block)) return;
    const given = Math.min(Math.max(0, steps), this.#left);
    this.#given.set(block, given);
    this.#left -= given;
  }
}

/** Returns the result of `parse` for a text of that length, or undefined if it would take too many steps. */
export function bounded<T>(length: number, parse: () => T, more = 0): T | undefined {
  const before = left;
  left = own(length) + more;
  try {
    return parse();
  } catch (error) {
    if (error instanceof TooMuchWork) return undefined;
    throw error;
  } finally {
    left = before;
  }
}

/** The same for a block of a text, which may use the shared extra steps. */
export function boundedShared<T>(
  length: number,
  parse: () => T,
  spare: SharedBudget,
  block: object,
): T | undefined {
  const before = taken;
  try {
    return bounded(length, parse, spare.for(block));
  } finally {
    spare.took(block, taken - before - own(length));
  }
}

/** Returns the steps taken since the program started. */
export function stepsTaken(): number {
  return taken;
}

/**
 * Makes a parser count its steps: for trying rules, and for scanning. Steps for its output are counted in states.ts.
 */
export function countWork(md: MarkdownIt) {
  // The fence rule is tried at every line, once for each container and paragraph that the line may belong to.
  const fence = md.block.ruler.__rules__.find(({ name }) => name === 'fence');
  if (fence !== undefined) {
    const { fn, alt } = fence;
    md.block.ruler.at(
      'fence',
      (state, startLine, endLine, silent) => {
        spend(8 + ((state.eMarks[startLine] ?? 0) - (state.bMarks[startLine] ?? 0)) / 16);
        return fn(state, startLine, endLine, silent);
      },
      { alt },
    );
  }
  const text = md.inline.ruler.__rules__.find(({ name }) => name === 'text');
  if (text !== undefined) {
    // The text rule comes first: it is tried wherever a token may start.
    const { fn } = text;
    md.inline.ruler.at('text', (state, silent) => {
      spend(6);
      return fn(state, silent);
    });
  }
  const { inline, helpers } = md;
  const skipToken = inline.skipToken.bind(inline);
  inline.skipToken = (state) => {
    spend(1);
    skipToken(state);
  };
  const { parseLinkDestination, parseLinkTitle } = helpers;
  helpers.parseLinkDestination = (source, start, max) => {
    const found = parseLinkDestination(source, start, max);
    spend((found.ok ? found.pos - start : destinationLength(source, start, max)) / 8);
    return found;
  };
  helpers.parseLinkTitle = (source, start, max, before) => {
    const found = parseLinkTitle(source, start, max, before);
    const scanned = before !== undefined || /["'(]/.test(source.charAt(start));
    if (scanned) spend(((found.ok ? found.pos : max) - start) / 8);
    return found;
  };
}

/** Returns how many characters of an invalid link destination were scanned. */
function destinationLength(source: string, start: number, max: number): number {
  const pointed = source.charAt(start) === '<';
  let depth = 0;
  let at = start + 1;
  for (; at < max; at++) {
    const code = source.charCodeAt(at);
    if (code === 92) at++;
    else if (pointed ? code === 10 || code === 60 : code <= 32 || (code === 40 && ++depth > 32)) break;
  }
  return at - start;
}
