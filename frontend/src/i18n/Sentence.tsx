import { Fragment, type ReactNode } from 'react';

const begin = '\u0001';
const end = '\u0002';
const places = new RegExp(`(${begin}\\w+${end})`);

/** What a string is given for a placeholder that is an element. */
export const slot = (name: string) => begin + name + end;

interface SentenceProps {
  /** A string with slots in it. */
  text: string;
  slots: Readonly<Record<string, ReactNode>>;
}

/** A sentence with elements in it, wherever its language has them. */
export function Sentence({ text, slots }: SentenceProps) {
  return text.split(places).map((piece, i) => {
    const name = piece.startsWith(begin) ? piece.slice(1, -1) : undefined;
    return (
      // biome-ignore lint/suspicious/noArrayIndexKey: a place in a sentence has no other name
      <Fragment key={i}>{name !== undefined && Object.hasOwn(slots, name) ? slots[name] : piece}</Fragment>
    );
  });
}
