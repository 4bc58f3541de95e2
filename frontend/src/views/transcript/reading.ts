import { createContext, useContext } from 'react';
import type { Session } from '../../state/session';
import type { Message } from '../../transcript/model';
import type { Style } from '../../transcript/style';
import type { Appearance, Fork } from '../../transport/api';
import type { Spot } from '../find/spot';
import type { Disclosures } from './disclosure';

/** Context shared by the parts of a transcript. */
export interface Reading {
  session: Session;
  disclosures: Disclosures;
  thoughts: Appearance['thoughts'];
  /** The prompts that have other versions in branches. */
  forks: ReadonlyMap<string, Fork>;
  /** The color of a message's author if there are several; null if there is only one. */
  voices: ((message: Message) => number) | null;
  /** How calls are shown according to the user's rules. */
  style: Style;
  /** The search query and navigation target. */
  spot: Spot;
  /** Shows or hides the hidden calls of a message. */
  reveal(messageId: string, shown: boolean): void;
  /** Called before the user opens or closes something, so that it stays in place. */
  hold(): void;
}

export const ReadingContext = createContext<Reading | null>(null);

export function useReading(): Reading {
  const reading = useContext(ReadingContext);
  if (reading === null) throw new Error('useReading is used outside of a transcript');
  return reading;
}
