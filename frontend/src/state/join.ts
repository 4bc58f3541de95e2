import { applyEvents } from '../transcript/fold';
import { type Conversation, emptyConversation, type Message, segmentEnd } from '../transcript/model';
import type { Event } from '../transcript/types';
import type { Page } from '../transport/api';
import { limits, thinned } from './thin';
import { messagesOf } from './views';

// With several members, a message far above the end may still be growing. A page that contains it is as of its own
// event, different from that of the loaded range: the page must not miss events that arrived meanwhile, and no event
// may be applied to it twice.

/** A page about to join the loaded range, and the event it is as of. */
export class JoiningPage {
  readonly hasBefore: boolean;
  readonly hasAfter: boolean;
  private readonly whole: boolean;
  private read: readonly Message[];
  private stands: number;

  constructor(page: Page) {
    this.read = messagesOf(page);
    this.stands = page.seq;
    this.hasBefore = page.hasBefore;
    this.hasAfter = page.hasAfter;
    const last = page.messages?.at(-1);
    this.whole = last === undefined || last.firstSegment + (last.segments?.length ?? 0) === last.segmentCount;
  }

  get messages(): readonly Message[] {
    return this.read;
  }

  get seq(): number {
    return this.stands;
  }

  /** Applies the events that arrived after the page was read, if they concern its messages. */
  continue(events: readonly Event[], seq: number): void {
    const ids = new Set(this.read.map(({ id }) => id));
    const own = events.filter((event) => event.seq > this.stands && ids.has(messageOf(event) ?? ''));
    // If the rest of its last message is loaded elsewhere, no segment is opened here.
    const stretch: Conversation = { ...emptyConversation, messages: this.read, hasAfter: !this.whole };
    this.read = thinned(applyEvents(stretch, own, limits), endedBy(own)).messages;
    this.stands = seq;
  }
}

/** Segments of messages that came with a page and already include all events up to one. */
export interface Known {
  seq: number;
  /** By message: the first segment, up to but excluding the last. Data outside of segments belongs to the end. */
  parts: ReadonlyMap<string, { from: number; to: number }>;
}

/** Returns what the loaded range knows from a page added before or after it. */
export function knownBy(page: JoiningPage, held: Conversation, side: 'before' | 'after'): Known {
  const parts = new Map(page.messages.map(({ id }) => [id, { from: 0, to: Number.POSITIVE_INFINITY }]));
  // The message in which both meet is known only up to that point, or only from there.
  const meets = side === 'before' ? held.messages[0] : held.messages.at(-1);
  const part = meets && parts.get(meets.id);
  if (meets !== undefined && part !== undefined) {
    if (side === 'before') part.to = meets.firstSegment;
    else part.from = segmentEnd(meets);
  }
  return { seq: page.seq, parts };
}

export function knows({ seq, parts }: Known, event: Event): boolean {
  if (event.seq > seq) return false;
  const part = parts.get(messageOf(event) ?? '');
  if (part === undefined) return false;
  if ('segment' in event) return part.from <= event.segment && event.segment < part.to;
  const ofWhole = event.type === 'message_end' || event.type === 'error' || event.type === 'opaque';
  return ofWhole && part.to === Number.POSITIVE_INFINITY;
}

/** The messages that are ended by the events. */
export function endedBy(events: readonly Event[]): Set<string> {
  return new Set(events.flatMap((event) => (event.type === 'message_end' ? [event.messageId] : [])));
}

function messageOf(event: Event): string | undefined {
  return 'messageId' in event ? event.messageId : undefined;
}
