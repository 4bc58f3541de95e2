/**
 * How much a parse may do. Hostile text can make a parser scan what follows once for each character before, or become a node for
 * each character, so the steps are counted and the parse is given up where they are too many: the text is then shown as
 * plain text. Steps and not time, so that a text looks the same on every machine. A step takes about 0.1 µs.
 */
import type { MarkdownIt } from 'markdown-it';

/** Steps that every parse may take, and how many more for each character. Ordinary text takes two to four. */
const BASE = 300;
const PER_CHARACTER = 6;
/** The same beyond the first characters. What is longer is shown in one go, however little of it can be seen. */
const LONG = 4 * 1024;
const PER_LATER_CHARACTER = 2.5;
/** Steps that the blocks of one text may take together beyond their own: for what is denser, such as a table of short cells. */
export const SPARE = 60_000;
/** Steps that a parse may take beyond its own which is done once for much text. */
export const MORE_STEPS = 20_000;

function own(length: number): number {
  return BASE + PER_CHARACTER * Math.min(length, LONG) + PER_LATER_CHARACTER * Math.max(0, length - LONG);
}

class TooMuchWork extends Error {}

let left = Number.POSITIVE_INFINITY;
let taken = 0;

/** Notes steps of the parse that is under way, and ends it where they are too many. */
export function spend(steps: number) {
  taken += steps;
  left -= steps;
  if (left < 0) throw new TooMuchWork();
}

/** Notes steps that will be taken for what is parsed, and ends the parse where they are too many: they are not taken then. */
export function foresee(steps: number) {
  if (steps > left) throw new TooMuchWork();
  spend(steps);
}

/** The steps that the blocks of one text share. A block that is shown again gets what it got before. */
export class Spare {
  #left = SPARE;
  readonly #given = new WeakMap<object, number>();

  /** What the block may take beyond its own steps. */
  for(block: object): number {
    return this.#given.get(block) ?? this.#left;
  }

  /** Notes what the block has taken beyond its own steps. */
  took(block: object, steps: number) {
    if (this.#given.has(block)) return;
    const given = Math.min(Math.max(0, steps), this.#left);
    this.#given.set(block, given);
    this.#left -= given;
  }
}

/** What `parse` makes of a text of that length, or undefined where it would take too many steps. */
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

/** The same for a block of a text, which may take of what the text has to spare. */
export function boundedOf<T>(length: number, parse: () => T, spare: Spare, block: object): T | undefined {
  const before = taken;
  try {
    return bounded(length, parse, spare.for(block));
  } finally {
    spare.took(block, taken - before - own(length));
  }
}

/** The steps taken since the program began. */
export function stepsTaken(): number {
  return taken;
}

/** Has a parser count its steps: where it tries its rules, and what they scan. What it makes is counted in states.ts. */
export function countWork(md: MarkdownIt) {
  // It is tried at every line, once for each container and each paragraph that the line may belong to.
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
    // The first rule of all: it is tried wherever a token may begin.
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

/** How far a destination that is none was looked at. */
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
