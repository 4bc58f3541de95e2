// Decides whether the transcript follows its end. Pure: the view reports its measurements.

export interface FollowState {
  /** The end is followed: whatever grows, the last line stays in view. */
  readonly follows: boolean;
  readonly offset: number;
  readonly size: number;
  /** There is unseen content at the end. */
  readonly unseen: boolean;
  /** The last line is in view, whether or not the end is followed. */
  readonly seesEnd: boolean;
}

export interface Measure {
  /** Pixels above the view. */
  offset: number;
  /** Height of the content in pixels. */
  size: number;
  /** Height of the view in pixels. */
  view: number;
  /** Whether the conversation continues beyond the loaded range, so that its end is not the end. */
  continues: boolean;
}

export const following: FollowState = { follows: true, offset: 0, size: 0, unseen: false, seesEnd: true };

/** Distance in pixels that still counts as at the end. */
const close = 6;

/** Reports whether a view is at the end of the conversation. */
export const atEnd = (now: Measure): boolean => !now.continues && distance(now) <= close;

/** Distance in pixels at which the last line is in view: the space below it is 28 px high. */
const lastLine = 36;

/** What a measurement says. */
const seen = (now: Measure): Pick<FollowState, 'offset' | 'size' | 'seesEnd'> => ({
  offset: now.offset,
  size: now.size,
  seesEnd: distance(now) <= lastLine,
});

/** At the end, it is followed. */
const ended = (now: Measure): FollowState => ({ ...seen(now), follows: true, unseen: false });

/** Pixels from the end of the view to the end of the content. */
export function distance({ offset, size, view }: Pick<Measure, 'offset' | 'size' | 'view'>): number {
  return size - view - offset;
}

/** What moved the view: the user, something that may be the user, or the list, which maintains the scroll position. */
export type Mover = 'hand' | 'list' | 'other';

/**
 * Determines what moved the view. Only an upward move may be the user's. If the visible content stayed in place, it was
 * the list, even right after user input.
 */
export function moverOf(
  { offset }: FollowState,
  now: Measure,
  { kept, hand }: { kept(): boolean; hand(): boolean },
): Mover {
  if (now.offset >= offset - 1 || kept()) return 'list';
  return hand() ? 'hand' : 'other';
}

/**
 * Handles a new scroll position, whoever caused it: content that shrinks and grows again within a frame moves the
 * position up without user input.
 */
export function scrolled(stick: FollowState, now: Measure, by: Mover): FollowState {
  if (atEnd(now)) return ended(now);
  const { offset, size } = now;
  const same = by === 'hand' ? size >= stick.size - 1 : by === 'other' && size === stick.size;
  const up = offset < stick.offset - 1 && same;
  return { ...stick, ...seen(now), follows: stick.follows && !up };
}

/** Handles a new content size. If all of it is in view, so is its end. */
export function resized(stick: FollowState, now: Measure): FollowState {
  return atEnd(now) ? ended(now) : { ...stick, ...seen(now) };
}

/** Handles new content at the end. */
export function grew(stick: FollowState): FollowState {
  return stick.follows || stick.unseen ? stick : { ...stick, unseen: true };
}

/** The user opened something or navigated elsewhere: what they read must not move. */
export function held(stick: FollowState): FollowState {
  return stick.follows ? { ...stick, follows: false } : stick;
}

export function jumped(stick: FollowState): FollowState {
  return { ...stick, follows: true, unseen: false };
}
