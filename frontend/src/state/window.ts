import type { Conversation, Message, Segment } from '../transcript/model';
import { segmentEnd } from '../transcript/model';
import type { Cursor, SpacePlace } from '../transport/api';

// The loaded range of a transcript. Pages are added at both ends, and what is far from the user's position is dropped,
// so that spaces of any length use the same memory.

/** More than `most` is kept only until the view stops scrolling; above `bound`, the other end is dropped at once. */
export const limits = { most: 800, bound: 2400, afterDrop: 500, page: 120 };

/** Rough size of a segment, in units of a short one. */
function weight(segment: Segment): number {
  switch (segment.type) {
    case 'text':
      return 1 + Math.floor(segment.length / 4096);
    case 'tool-group':
      return 1 + Math.floor(segment.items.length / 8);
    case 'display':
      return 1;
  }
}

export function weightOf(conversation: Conversation): number {
  let sum = 0;
  for (const message of conversation.messages) {
    sum += 1;
    for (const segment of message.segments) sum += weight(segment);
  }
  return sum;
}

/** The position before everything loaded; null if nothing is. */
export function start(conversation: Conversation): Cursor | null {
  const first = conversation.messages[0];
  return first === undefined ? null : { ord: first.ord, segment: first.firstSegment };
}

/** The position after everything loaded. */
export function end(conversation: Conversation): Cursor | null {
  const last = conversation.messages.at(-1);
  return last === undefined ? null : { ord: last.ord, segment: segmentEnd(last) };
}

/** Reports whether a location is loaded: its segment, or the beginning of its message. */
export function holds({ messages }: Conversation, { messageId, segment }: SpacePlace): boolean {
  const message = messages.find(({ id }) => id === messageId);
  if (message === undefined) return false;
  // A message without segments has no other part, and a location after the last segment doesn't exist.
  const at = Math.max(0, segment);
  return message.firstSegment <= at && (at < segmentEnd(message) || segmentEnd(message) === 0);
}

export function withBefore(
  conversation: Conversation,
  older: readonly Message[],
  hasBefore: boolean,
): Conversation {
  const messages = joined(older, conversation.messages);
  return { ...conversation, messages, hasBefore };
}

export function withAfter(
  conversation: Conversation,
  newer: readonly Message[],
  hasAfter: boolean,
): Conversation {
  return { ...conversation, messages: joined(conversation.messages, newer), hasAfter };
}

/** Joins two ranges that meet, possibly in the middle of a message. */
function joined(older: readonly Message[], newer: readonly Message[]): Message[] {
  const last = older.at(-1);
  const first = newer[0];
  if (last === undefined || first === undefined || last.id !== first.id) return [...older, ...newer];
  const overlap = Math.max(0, segmentEnd(last) - first.firstSegment);
  const message: Message = {
    ...first,
    ord: Math.max(last.ord, first.ord),
    segments: [...last.segments, ...first.segments.slice(overlap)],
    firstSegment: last.firstSegment,
    opaque: first.opaque.length > 0 ? first.opaque : last.opaque,
  };
  return [...older.slice(0, -1), message, ...newer.slice(1)];
}

/** Drops from the start until at most `keep` is loaded. */
export function dropStart(conversation: Conversation, keep = limits.afterDrop): Conversation {
  let over = weightOf(conversation) - keep;
  if (over <= 0) return conversation;
  const messages = conversation.messages.slice();
  while (over > 0 && messages.length > 0) {
    const first = messages[0] as Message;
    let cut = 0;
    while (over > 0 && cut < first.segments.length) over -= weight(first.segments[cut++] as Segment);
    const whole = cut === first.segments.length;
    if (whole && messages.length > 1) {
      messages.shift();
      over -= 1;
    } else {
      if (whole) cut--;
      messages[0] = { ...first, segments: first.segments.slice(cut), firstSegment: first.firstSegment + cut };
      break;
    }
  }
  return { ...conversation, messages, hasBefore: true };
}

/** Drops from the end until at most `keep` is loaded. */
export function dropEnd(conversation: Conversation, keep = limits.afterDrop): Conversation {
  let over = weightOf(conversation) - keep;
  if (over <= 0) return conversation;
  const messages = conversation.messages.slice();
  while (over > 0 && messages.length > 0) {
    const last = messages.at(-1) as Message;
    let end = last.segments.length;
    while (over > 0 && end > 0) over -= weight(last.segments[--end] as Segment);
    if (end === 0 && messages.length > 1) {
      messages.pop();
      over -= 1;
    } else {
      if (end === 0) end++;
      messages[messages.length - 1] = { ...last, segments: last.segments.slice(0, end), opaque: [] };
      break;
    }
  }
  return { ...conversation, messages, hasAfter: true };
}

/**
 * Drops what is far from a location at both ends, until at most `keep` is loaded. At least half of that remains above
 * the location if possible.
 */
export function dropAround(
  conversation: Conversation,
  place: SpacePlace,
  keep = limits.afterDrop,
): Conversation {
  const above = weightAbove(conversation, place);
  if (above === null) return conversation;
  return dropStart(dropEnd(conversation, above + keep - Math.min(above, Math.floor(keep / 2))), keep);
}

/** The loaded weight above a location; null if its message isn't loaded. */
function weightAbove(conversation: Conversation, { messageId, segment }: SpacePlace): number | null {
  const { messages } = conversation;
  const at = messages.findIndex(({ id }) => id === messageId);
  const message = messages[at];
  if (message === undefined) return null;
  const segments = message.segments.slice(0, Math.max(0, segment - message.firstSegment));
  return weightOf({ ...conversation, messages: [...messages.slice(0, at), { ...message, segments }] });
}
