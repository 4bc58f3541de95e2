import { describe, expect, it } from 'vitest';
import { agent, sequence, text } from '../transcript/events.fixture';
import { applyEvents } from '../transcript/fold';
import { type Conversation, emptyConversation, segmentEnd } from '../transcript/model';
import { dropAround, dropEnd, dropStart, end, holds, start, weightOf, withAfter, withBefore } from './window';

/** A conversation of `n` messages with `m` segments each. */
function conversation(n: number, m: number): Conversation {
  const bodies = Array.from({ length: n }, (_, i) => [
    { ...agent, messageId: `m${i}` },
    ...Array.from({ length: m }, (_, s) => ({ ...text(s, `${i}.${s}`), messageId: `m${i}` })),
  ]);
  return applyEvents(emptyConversation, sequence(...bodies.flat()));
}

const ids = ({ messages }: Conversation) =>
  messages.map(({ id, firstSegment, segments }) => `${id}[${firstSegment}+${segments.length}]`);

describe('the stretch that is held', () => {
  it('drops whole messages and parts of one from its start', () => {
    const kept = dropStart(conversation(3, 4), 8);
    expect(ids(kept)).toEqual(['m1[2+2]', 'm2[0+4]']);
    expect(kept.hasBefore).toBe(true);
    expect(weightOf(kept)).toBeLessThanOrEqual(8);
    expect(start(kept)).toEqual({ ord: 2, segment: 2 });
  });

  it('drops from its end', () => {
    const kept = dropEnd(conversation(3, 4), 8);
    expect(ids(kept)).toEqual(['m0[0+4]', 'm1[0+2]']);
    expect(kept.hasAfter).toBe(true);
    expect(end(kept)).toEqual({ ord: 2, segment: 2 });
  });

  it('drops parts of the only message', () => {
    expect(ids(dropStart(conversation(1, 10), 5))).toEqual(['m0[6+4]']);
    expect(ids(dropEnd(conversation(1, 10), 5))).toEqual(['m0[0+4]']);
    expect(ids(dropEnd(conversation(1, 10), 0))).toEqual(['m0[0+1]']);
  });

  it('drops what is far from any place, keeps the place, and holds no more than it may', () => {
    const whole = conversation(4, 10);
    for (const message of whole.messages)
      for (let segment = -1; segment <= 10; segment++)
        for (let keep = 4; keep < 44; keep++) {
          const place = { messageId: message.id, segment: Math.min(segment, 9), item: -1 };
          const kept = dropAround(whole, place, keep);
          expect(holds(kept, place), `${message.id}:${segment} of ${keep}`).toBe(true);
          expect(weightOf(kept)).toBeLessThanOrEqual(keep + 1);
        }
    const end = dropAround(whole, { messageId: 'm3', segment: Number.MAX_SAFE_INTEGER, item: -1 }, 8);
    expect(ids(end)).toEqual(['m3[3+7]']);
    const elsewhere = { messageId: 'gone', segment: 0, item: -1 };
    expect(dropAround(whole, elsewhere, 8)).toBe(whole);
  });

  it('joins a page that ends in the middle of a message', () => {
    const whole = conversation(2, 4);
    const later = dropStart(whole, 4);
    const earlier = dropEnd(whole, 8);
    const joined = withBefore(later, earlier.messages, false);
    expect(ids(joined)).toEqual(['m0[0+4]', 'm1[0+4]']);
    expect(ids(withAfter(earlier, later.messages, false))).toEqual(['m0[0+4]', 'm1[0+4]']);
  });

  it('keeps counting places of the whole message', () => {
    const kept = dropStart(conversation(1, 10), 4);
    const [message] = kept.messages;
    expect(message && segmentEnd(message)).toBe(10);
    const more = applyEvents(kept, sequence({ ...text(10, 'next'), messageId: 'm0' }));
    expect(more.messages[0]?.segments.at(-1)).toMatchObject({ type: 'text', length: 4 });
  });

  it('keeps no new messages while its end is not held', () => {
    const kept = dropEnd(conversation(3, 4), 8);
    const more = applyEvents(
      kept,
      sequence({ ...agent, messageId: 'm3' }, { ...text(2, 'x'), messageId: 'm2' }),
    );
    expect(more.messages).toEqual(kept.messages);
  });
});
