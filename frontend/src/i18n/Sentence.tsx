import { Fragment, type ReactNode } from 'react';

/** A string with placeholders for elements. It has its own type, so that only a Sentence can render it. */
export interface TextWithSlots {
  readonly marked: string;
}

// The value of a placeholder that stands for an element. It is random, so that text from agents and files in the same
// sentence can't imitate it.
const begin = `\u0001${Math.random().toString(36).slice(2)}:`;
const end = '\u0002';
const places = new RegExp(`(${begin}\\w+${end})`);

/**
 * Creates a string with placeholders for elements: `slot` makes a placeholder, and `put` inserts another string of this
 * kind.
 */
export function withSlots(
  words: (slot: (name: string) => string, put: (inner: TextWithSlots) => string) => string,
): TextWithSlots {
  return {
    marked: words(
      (name) => begin + name + end,
      (inner) => inner.marked,
    ),
  };
}

interface SentenceProps {
  text: TextWithSlots;
  slots: Readonly<Record<string, ReactNode>>;
}

/** Renders a sentence that contains elements, at the position that its language requires. */
export function Sentence({ text, slots }: SentenceProps) {
  return text.marked.split(places).map((piece, i) => {
    const name = piece.startsWith(begin) ? piece.slice(begin.length, -1) : undefined;
    return (
      // biome-ignore lint/suspicious/noArrayIndexKey: parts of a sentence have no id
      <Fragment key={i}>{name !== undefined && Object.hasOwn(slots, name) ? slots[name] : piece}</Fragment>
    );
  });
}
