import { samePlace } from '../../state/link';
import type { Mark, View } from '../../state/shown';
import { Store, useStore } from '../../state/store';
import type { SpacePlace } from '../../transport/api';

/** A place that the user goes to. */
export interface Target {
  readonly place: SpacePlace;
  /** The match that is looked for there. */
  readonly mark: SpotMark | null;
  /** Where the view was, on the way back. */
  readonly view: View | null;
  /** Whether what is closed is opened, and the focus goes there. A match that is shown while its text is typed does neither. */
  readonly opens: boolean;
}

export interface SpotMark extends Mark {
  /** In which text of the place it is, and at which byte, where that is known. */
  source?: string;
  start?: number;
}

interface SpotState {
  target: Target | null;
  /** What is marked wherever it is drawn; empty for nothing. */
  query: string;
  /** The match is at its place, but not in what is drawn of that: it is shown apart. */
  apart: boolean;
  /** What was selected for the user, so that keys continue from there. */
  selected: StaticRange | null;
}

/** What a transcript is searched for, and where its reader goes. The parts of the transcript that have the place open for it. */
export type Spot = Store<SpotState>;

export function newSpot(): Spot {
  return new Store<SpotState>({ target: null, query: '', apart: false, selected: null });
}

/** For what is drawn outside of a transcript. */
export const nowhere: Spot = newSpot();

/** The target, where it is this item of a group, or this segment; it is the same object until the user goes elsewhere. */
export function useTargetAt(spot: Spot, messageId: string, segment: number, item: number): Target | null {
  return useStore(spot, ({ target }) =>
    target?.opens === true && samePlace(target.place, { messageId, segment, item }) ? target : null,
  );
}

/** The item of a group that the user goes to, if it is in this one. */
export function useTargetItem(spot: Spot, messageId: string, segment: number): Target | null {
  return useStore(spot, ({ target }) => {
    if (target?.opens !== true || target.place.item < 0) return null;
    return target.place.messageId === messageId && target.place.segment === segment ? target : null;
  });
}

/** Whether a selection was made for the user by going to a match. */
export function selectedFor(
  spot: Spot,
  { startContainer, startOffset, endContainer, endOffset }: Range,
): boolean {
  const { selected } = spot.get();
  return (
    selected?.startContainer === startContainer &&
    selected.startOffset === startOffset &&
    selected.endContainer === endContainer &&
    selected.endOffset === endOffset
  );
}
