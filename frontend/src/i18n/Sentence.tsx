import { Fragment, type ReactNode } from 'react';

/** Words with places for elements. They are no string, so that only a Sentence can draw them. */
export interface Marked {
  readonly marked: string;
}

// What a string is given for a placeholder that is an element. Nobody else can write it: the words of agents and files are in the same sentence.
const begin = `\u0001${Math.random().toString(36).slice(2)}:`;
const end = '\u0002';
const places = new RegExp(`(${begin}\\w+${end})`);

/** Makes words with places for elements: `slot` is a place, and `put` other words with places. */
export function withSlots(
  words: (slot: (name: string) => string, put: (inner: Marked) => string) => string,
): Marked {
  return {
    marked: words(
      (name) => begin + name + end,
      (inner) => inner.marked,
    ),
  };
}

interface SentenceProps {
  text: Marked;
  slots: Readonly<Record<string, ReactNode>>;
}

/** A sentence with elements in it, wherever its language has them. */
export function Sentence({ text, slots }: SentenceProps) {
  return text.marked.split(places).map((piece, i) => {
    const name = piece.startsWith(begin) ? piece.slice(begin.length, -1) : undefined;
    return (
      // biome-ignore lint/suspicious/noArrayIndexKey: a place in a sentence has no other name
      <Fragment key={i}>{name !== undefined && Object.hasOwn(slots, name) ? slots[name] : piece}</Fragment>
    );
  });
}
