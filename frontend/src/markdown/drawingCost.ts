/**
 * Estimates what it takes to draw a text beyond what ordinary letters take, in the steps of work.ts. Characters of one
 * script and one direction are drawn as one run, so many short runs take longer; runs of both directions are reordered
 * for each line of their paragraph.
 */

/** Steps of any character that the browser lays out. */
export const LAID_OUT = 5;
/** Steps of a character that starts a new run. */
const RUN = 20;
/** The same for a script that few fonts have, for which the browser asks the system for a font. */
const RARE_RUN = 500;
/** The same for a right-to-left run next to a left-to-right one. */
const TURN = 60;
/** With this many of them in one paragraph, each takes twice as long. */
const TURNS = 2400;
/** Steps of a letter of a non-European script: most fonts lack it, and many such scripts need shaping. */
const LETTER = 2;
/** Steps of a combining mark. */
const MARK = 20;

/** Characters without extra cost: Latin, Greek and Cyrillic letters, punctuation, arrows and symbols. */
const ORDINARY = /^[\0-\u02ff\u0370-\u052f\u2010-\u2029\u202f-\u205f\u2070-\u20cf\u2100-\u2bff]*$/;

const EUROPE = 0;
const RIGHT = 1;
const EAST = 2;
const EMOJI = 3;
/** Scripts from this index on are rare. */
const OTHERS = 8;

/** Counts the steps of a text that comes in pieces and is drawn as one paragraph. */
export class DrawingCost {
  #before: number = EUROPE;
  #turns = 0;

  /** Returns the steps that the next piece adds. */
  take(text: string): number {
    if (isOrdinary(text)) return 0;
    let steps = 0;
    let turns = 0;
    for (let i = 0; i < text.length; i++) {
      const code = text.charCodeAt(i);
      if (isMark(code)) steps += MARK;
      else if (isDirection(code)) turns += 1;
      const now = alphabet(code);
      const before = this.#before;
      if (now === undefined) continue;
      if (now !== EUROPE) steps += LETTER;
      if (now === before) continue;
      if (now === RIGHT || before === RIGHT) turns += 1;
      steps += Math.max(now, before) >= OTHERS ? RARE_RUN : RUN;
      this.#before = now;
    }
    const all = this.#turns + turns;
    steps += TURN * (turns + (all * all - this.#turns * this.#turns) / TURNS);
    this.#turns = all;
    // Steps are counted twice and must match, which sums of fractions would not.
    return Math.ceil(steps);
  }
}

/** Reports whether a text has no cost beyond its letters. */
export function isOrdinary(text: string): boolean {
  return ORDINARY.test(text);
}

/** Returns the steps of a text that is drawn as one paragraph. */
export function drawingCostOf(text: string): number {
  return isOrdinary(text) ? 0 : new DrawingCost().take(text);
}

/** Returns undefined for characters that take the script of their neighbors. */
function alphabet(code: number): number | undefined {
  if (code < 0x41 || isMark(code) || (code >= 0x2000 && code < 0x2c00)) return undefined;
  if (code < 0x530) return EUROPE;
  if (code >= 0x590 && code < 0x900) return RIGHT;
  if (code < 0x2e80) return OTHERS + (code >> 9);
  if (code < 0xa4d0 || (code >= 0xac00 && code < 0xd7b0)) return EAST;
  // The first half of a surrogate pair decides.
  if (code >= 0xdc00 && code < 0xe000) return undefined;
  if (code >= 0xd83c && code <= 0xd83e) return EMOJI;
  if ((code >= 0xfb1d && code < 0xfe00) || (code >= 0xfe70 && code < 0xff00)) return RIGHT;
  return code >= 0xff00 ? EAST : OTHERS + (code >> 9);
}

/** Reports whether it combines with the character before it, or joins it with the one after it. */
function isMark(code: number): boolean {
  return (
    (code >= 0x300 && code < 0x370) ||
    (code >= 0x1ab0 && code < 0x1b00) ||
    (code >= 0x1dc0 && code < 0x1e00) ||
    (code >= 0x20d0 && code < 0x2100) ||
    (code >= 0xfe00 && code < 0xfe30) ||
    code === 0x200d
  );
}

/** Reports whether it is a character that sets the direction of the text after it. */
function isDirection(code: number): boolean {
  return (
    code === 0x61c ||
    code === 0x200e ||
    code === 0x200f ||
    (code >= 0x202a && code < 0x202f) ||
    (code >= 0x2066 && code < 0x206a)
  );
}
