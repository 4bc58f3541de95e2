/**
 * How much a parse may do. Hostile text can make a parser scan what follows once for each character before, so the steps are counted
 * and the parse is given up where they are too many: what was to be parsed is then shown as plain text. Steps and not time,
 * so that a text looks the same on every machine.
 */
import type { MarkdownIt } from 'markdown-it';

/** Steps that every parse may take, and how many more for each character. Ordinary text takes one. */
const BASE = 3_000;
const PER_CHARACTER = 5;

class TooMuchWork extends Error {}

let left = Number.POSITIVE_INFINITY;
let taken = 0;

/** Notes steps of the parse that is under way, and ends it where they are too many. */
export function spend(steps: number) {
  taken += steps;
  left -= steps;
  if (left < 0) throw new TooMuchWork();
}

/** What `parse` makes of a text of that length, or undefined where it would take too many steps. */
export function bounded<T>(length: number, parse: () => T): T | undefined {
  const before = left;
  left = BASE + PER_CHARACTER * length;
  try {
    return parse();
  } catch (error) {
    if (error instanceof TooMuchWork) return undefined;
    throw error;
  } finally {
    left = before;
  }
}

/** The steps taken since the program began, for tests. */
export function stepsTaken(): number {
  return taken;
}

/** Has a parser count its steps: the rules that it tries, and what they scan. */
export function countWork(md: MarkdownIt) {
  for (const rule of md.block.ruler.__rules__) {
    const { fn } = rule;
    md.block.ruler.at(
      rule.name,
      (state, startLine, endLine, silent) => {
        spend(4 + ((state.eMarks[startLine] ?? 0) - (state.bMarks[startLine] ?? 0)) / 64);
        return fn(state, startLine, endLine, silent);
      },
      { alt: rule.alt },
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
