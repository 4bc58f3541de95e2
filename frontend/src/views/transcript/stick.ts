// Whether the transcript follows its end. Pure: the view reports what it measured.

export interface Stick {
  /** The end is followed: whatever grows, the last line stays in sight. */
  readonly stuck: boolean;
  readonly offset: number;
  readonly size: number;
  /** Something came at the end that has not been seen. */
  readonly unseen: boolean;
}

export interface Measure {
  /** Pixels above the view. */
  offset: number;
  /** Pixels of the whole content. */
  size: number;
  /** Pixels of the view. */
  view: number;
  /** Whether the conversation continues below what is held: the end of that is not the end. */
  continues: boolean;
}

export const following: Stick = { stuck: true, offset: 0, size: 0, unseen: false };

/** This close to the end counts as at the end. */
const close = 6;

/** Whether a view is at the end of the conversation. */
export const atEnd = (now: Measure): boolean => !now.continues && distance(now) <= close;

/** Pixels from the end of the view to the end of the content. */
export function distance({ offset, size, view }: Pick<Measure, 'offset' | 'size' | 'view'>): number {
  return size - view - offset;
}

/** What has moved the view: the user's hand, something else that may be the user's, or the list, which keeps what is read in its place. */
export type Mover = 'hand' | 'list' | 'other';

/**
 * Who has moved the view to where it is now. Only a way up may be someone's. Where what is read has kept its place, it was the list, also if a
 * hand has just scrolled.
 */
export function moverOf(
  { offset }: Stick,
  now: Measure,
  { kept, hand }: { kept(): boolean; hand(): boolean },
): Mover {
  if (now.offset >= offset - 1 || kept()) return 'list';
  return hand() ? 'hand' : 'other';
}

/**
 * The scroll position changed, by whoever moved it or because the content did: what closes and
 * grows again within a frame moves the position up and nobody's hand with it.
 */
export function scrolled(stick: Stick, now: Measure, by: Mover): Stick {
  const { offset, size } = now;
  if (atEnd(now)) return { stuck: true, offset, size, unseen: false };
  const same = by === 'hand' ? size >= stick.size - 1 : by === 'other' && size === stick.size;
  const up = offset < stick.offset - 1 && same;
  return { ...stick, stuck: stick.stuck && !up, offset, size };
}

/** The content changed its size. Where all of it is in sight, its end is. */
export function resized(stick: Stick, now: Measure): Stick {
  const { offset, size } = now;
  return atEnd(now) ? { stuck: true, offset, size, unseen: false } : { ...stick, offset, size };
}

/** Something was added at the end. */
export function grew(stick: Stick): Stick {
  return stick.stuck || stick.unseen ? stick : { ...stick, unseen: true };
}

/** The user opened something or went elsewhere: what is read must not move. */
export function held(stick: Stick): Stick {
  return stick.stuck ? { ...stick, stuck: false } : stick;
}

export function jumped(stick: Stick): Stick {
  return { ...stick, stuck: true, unseen: false };
}
