import { Disclosures } from './disclosure';
import type { Stick } from './stick';

// What a space's transcript remembers while the window lives.

export interface Position {
  stick: Stick;
  /** The row at the top of the view, and how far into it the view starts. */
  key: string | undefined;
  within: number;
}

export const positions = new Map<string, Position>();

const disclosures = new Map<string, Disclosures>();

export function disclosuresOf(spaceId: string): Disclosures {
  let known = disclosures.get(spaceId);
  if (known === undefined) {
    known = new Disclosures();
    disclosures.set(spaceId, known);
  }
  return known;
}
