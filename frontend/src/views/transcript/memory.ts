import { Disclosures } from './disclosure';
import type { FollowState } from './followState';

// UI state of a space's transcript for the lifetime of the window.

export interface Position {
  stick: FollowState;
  /** The row at the top of the view, and the offset within it. */
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
