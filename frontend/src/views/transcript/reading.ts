import { createContext, useContext } from 'react';
import type { Session } from '../../state/session';
import type { Message } from '../../transcript/model';
import type { Style } from '../../transcript/style';
import type { Appearance, Fork } from '../../transport/api';
import type { Spot } from '../find/spot';
import type { Disclosures } from './disclosure';

/** What the parts of a transcript share. */
export interface Reading {
  session: Session;
  disclosures: Disclosures;
  thoughts: Appearance['thoughts'];
  /** The prompts for which other branches have another one. */
  forks: ReadonlyMap<string, Fork>;
  /** The color of who wrote a message, where there are several; null where there is one. */
  voices: ((message: Message) => number) | null;
  /** How calls are drawn by the user's rules. */
  style: Style;
  /** What is looked for, and the place that the user has gone to. */
  spot: Spot;
  /** Shows the hidden calls of a message, or hides them again. */
  reveal(messageId: string, shown: boolean): void;
  /** Called before something opens or closes by the user's hand, so that it stays in place. */
  hold(): void;
}

export const ReadingContext = createContext<Reading | null>(null);

export function useReading(): Reading {
  const reading = useContext(ReadingContext);
  if (reading === null) throw new Error('useReading is used outside of a transcript');
  return reading;
}
