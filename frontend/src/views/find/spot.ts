import { samePlace } from '../../state/link';
import type { Mark, View } from '../../state/shown';
import { Store, useStore } from '../../state/store';
import type { SpacePlace } from '../../transport/api';

/** A navigation target. */
export interface Target {
  readonly place: SpacePlace;
  /** The match to look for there. */
  readonly mark: SpotMark | null;
  /** The scroll position to restore, when going back. */
  readonly view: View | null;
  /** Whether to open closed parts and move the focus there. A match shown while typing does neither. */
  readonly opens: boolean;
}

export interface SpotMark extends Mark {
  /** Which text of the location contains it, and at which byte, if known. */
  source?: string;
  start?: number;
}

interface SpotState {
  target: Target | null;
  /** What to highlight everywhere; empty for nothing. */
  query: string;
  /** The match is in a part of its text that isn't rendered, so it is shown separately. */
  apart: boolean;
  /** The text selected for the user, so that keys continue from there. */
  selected: StaticRange | null;
}

/** The query and navigation target of a transcript. Parts of the transcript at that location open for it. */
export type Spot = Store<SpotState>;

export function newSpot(): Spot {
  return new Store<SpotState>({ target: null, query: '', apart: false, selected: null });
}

/** For content outside of a transcript. */
export const noSpot: Spot = newSpot();

/** The target if it is this item of a group or this segment; the same object until the user navigates elsewhere. */
export function useTargetAt(spot: Spot, messageId: string, segment: number, item: number): Target | null {
  return useStore(spot, ({ target }) =>
    target?.opens === true && samePlace(target.place, { messageId, segment, item }) ? target : null,
  );
}

/** The targeted item of a group, if it is in this one. */
export function useTargetItem(spot: Spot, messageId: string, segment: number): Target | null {
  return useStore(spot, ({ target }) => {
    if (target?.opens !== true || target.place.item < 0) return null;
    return target.place.messageId === messageId && target.place.segment === segment ? target : null;
  });
}

/** Reports whether a selection was made by going to a match. */
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
