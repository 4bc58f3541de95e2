// @vitest-environment jsdom
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { agent, call, done, sequence, text, thought } from '../transcript/events.fixture';
import { applyEvents } from '../transcript/fold';
import { foldEvents } from '../transcript/fold.fixture';
import { messageJson } from '../transcript/json.fixture';
import { type Conversation, emptyConversation, type Message, segmentEnd } from '../transcript/model';
import type { Event } from '../transcript/types';
import type { Around, Cursor, ItemView, MessageView, Page, SegmentView, Snapshot } from '../transport/api';
import type { Sink, Transport } from '../transport/transport';
import { Session } from './session';

// A backend that returns pages as of the event that the test chooses, while events reach the session when the test says
// so. In any order, the session must hold exactly what the events produce.

/** The part of a message between two segments, as the backend returns it. */
function viewOf(message: Message, ord: number, from: number, to: number): MessageView {
  const segments = message.segments.slice(from, to).map(
    (segment): SegmentView => ({
      type: segment.type,
      text: segment.type === 'text' ? segment.text.toString() : '',
      textStart: 0,
      author: '',
      parentToolCallId: '',
      itemCount: segment.type === 'tool-group' ? segment.items.length : 0,
      firstItem: 0,
      items:
        segment.type === 'tool-group'
          ? segment.items.map((item) => {
              if (item.type === 'thought') return { ...item, text: item.text.toString() };
              const { inputText, ...rest } = item;
              return {
                type: 'tool_call',
                call: { ...rest, inputText: inputText?.toString() ?? '' },
              } as unknown as ItemView;
            })
          : [],
      kindCounts: segment.type === 'tool-group' ? { ...segment.kindCounts } : {},
      statusCounts: segment.type === 'tool-group' ? { ...segment.statusCounts } : {},
      display: null,
    }),
  ) as SegmentView[];
  const { id, runId, role, author, model, createdAt, endedAt, stopReason, opaque } = message;
  const end = to >= message.segments.length;
  return {
    ...{ id, ord, runId, role, author, model, createdAt, endedAt, stopReason, usage: null, error: null },
    segmentCount: message.segments.length,
    firstSegment: from,
    segments,
    opaque: end ? [...opaque] : [],
  };
}

class Backend {
  readonly events: readonly Event[];
  /** The event up to which the next page is. */
  page = 0;
  /** How many events reach the session together with the page. */
  sentWithPage = 0;
  readonly since: number[] = [];
  /** Events before this one are no longer stored individually. */
  kept = 0;
  opened = 0;
  private sink: Sink<Event> | undefined;
  private sent = 0;
  private readonly heldFrom: Cursor;

  constructor(events: readonly Event[], snapshotAt: number, heldFrom: Cursor) {
    this.events = events;
    this.sent = snapshotAt;
    this.heldFrom = heldFrom;
  }

  readonly transport = {
    kind: 'serve',
    watch: (_: string, __: unknown, sink: Sink<Event>) => {
      this.sink = sink;
      return () => {};
    },
    call: async (
      command: string,
      request: { before?: Cursor; after?: Cursor; around?: Around; seq: number },
    ) => {
      if (command === 'OpenSpace') {
        this.opened++;
        return this.snapshot();
      }
      if (command === 'Since') {
        this.since.push(request.seq);
        const events = this.events.slice(request.seq, Math.max(this.sent, request.seq));
        return { epoch: 1, seq: request.seq + events.length, reset: request.seq < this.kept, events };
      }
      const page = request.around
        ? this.around(request.around)
        : request.before
          ? this.before(request.before)
          : this.after(request.after);
      this.send(this.sentWithPage);
      return page;
    },
  } as unknown as Transport;

  /** Sends events to the session, up to one. */
  send(upTo: number): void {
    const events = this.events.slice(this.sent, upTo);
    this.sent = Math.max(this.sent, upTo);
    this.sink?.events(events);
  }

  private messages(seq: number): readonly Message[] {
    return applyEvents(emptyConversation, this.events.slice(0, seq)).messages;
  }

  private snapshot(): Snapshot {
    const { ord, segment } = this.heldFrom;
    const messages = this.messages(this.sent).flatMap((message, i) => {
      if (i + 1 < ord) return [];
      return [viewOf(message, i + 1, i + 1 === ord ? segment : 0, Number.POSITIVE_INFINITY)];
    });
    const page = { messages, hasBefore: true, hasAfter: false, epoch: 1, seq: this.sent };
    return {
      space: { id: 's1' },
      epoch: 1,
      seq: this.sent,
      page,
      state: {},
      runs: [],
    } as unknown as Snapshot;
  }

  private before({ ord, segment }: Cursor): Page {
    const messages = this.messages(this.page).flatMap((message, i) => {
      if (i + 1 > ord || (i + 1 === ord && segment === 0)) return [];
      return [viewOf(message, i + 1, 0, i + 1 === ord ? segment : Number.POSITIVE_INFINITY)];
    });
    return { messages, hasBefore: false, hasAfter: true, epoch: 1, seq: this.page };
  }

  /** The message alone, with more after it. */
  private around({ messageId }: Around): Page {
    const messages = this.messages(this.page).flatMap((message, i) =>
      message.id === messageId ? [viewOf(message, i + 1, 0, Number.POSITIVE_INFINITY)] : [],
    );
    return { messages, hasBefore: false, hasAfter: true, epoch: 1, seq: this.page };
  }

  /** The following messages without the last one and its last segments. */
  private after(at: Cursor | undefined): Page {
    const all = this.messages(this.page);
    const messages = all.slice(0, -1).flatMap((message, i) => {
      if (at === undefined || i + 1 < at.ord) return [];
      return [viewOf(message, i + 1, i + 1 === at.ord ? at.segment : 0, Number.POSITIVE_INFINITY)];
    });
    return { messages, hasBefore: true, hasAfter: true, epoch: 1, seq: this.page };
  }
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());
const settle = () => vi.advanceTimersByTimeAsync(300);

const jsonOf = ({ messages }: Conversation) => messages.map(messageJson);
const held = (session: Session) => session.store.get().conversation;
const of = <T extends object>(messageId: string, body: T) => ({ ...body, messageId });

/** Two messages that are written at the same time, and a third that ends the conversation. */
const events = sequence(
  { ...agent, messageId: 'a', runId: 'ra' },
  of('a', text(0, 'One. ')),
  of('a', call(1, 0)),
  of('a', text(2, 'Two')),
  { ...agent, messageId: 'b', runId: 'rb' },
  of('b', text(0, 'Also')),
  of('a', text(2, ', three')),
  of('b', text(0, ' here')),
  of('a', done(1, 0, 'read')),
  of('a', thought(3, 0, 'And ')),
  of('b', call(1, 0)),
  of('a', thought(3, 0, 'now?')),
  { type: 'opaque', messageId: 'a', kind: 'odd' },
  of('a', text(4, 'Four.')),
  of('b', done(1, 0)),
  { type: 'message_end', messageId: 'a', stopReason: 'end_turn' },
  of('b', text(2, 'Done.')),
  { type: 'message_end', messageId: 'b', stopReason: 'end_turn' },
);
const all = events.length;

async function watching(snapshotAt: number, from: Cursor): Promise<[Session, Backend]> {
  const backend = new Backend(events, snapshotAt, from);
  const session = new Session(backend.transport, 's1');
  session.watch();
  await settle();
  return [session, backend];
}

async function scrolledUp(snapshotAt: number, from: Cursor, pageAt: number, sentWithPage: number) {
  const [session, backend] = await watching(snapshotAt, from);
  backend.page = pageAt;
  backend.sentWithPage = sentWithPage;
  await session.loadBefore();
  const joined = jsonOf(held(session));
  backend.send(all);
  await settle();
  return { session, backend, joined };
}

describe('a page of messages that are still being written', () => {
  it('skips what it has already, where it is newer', async () => {
    // The loaded range starts with message b; the page adds a, five events ahead.
    const { session, backend, joined } = await scrolledUp(7, { ord: 2, segment: 0 }, 12, 7);
    expect(joined[0]).toMatchObject({ id: 'a', segments: [{}, {}, { text: 'Two, three' }, {}] });
    expect(joined[1]).toMatchObject({ id: 'b', segments: [{ text: 'Also' }] });
    expect(jsonOf(held(session))).toEqual(foldEvents(events));
    expect(backend.since).toEqual([]);
    expect(backend.opened).toBe(1);
  });

  it('is given what it lacks, where it is older', async () => {
    const { session, backend, joined } = await scrolledUp(7, { ord: 2, segment: 0 }, 7, 12);
    expect(joined).toEqual(foldEvents(events.slice(0, 12)));
    expect(jsonOf(held(session))).toEqual(foldEvents(events));
    expect(backend.since).toEqual([7]);
    expect(backend.opened).toBe(1);
  });

  it('joins a message that both have a part of', async () => {
    for (const [page, sent] of [
      [14, 9],
      [9, 14],
    ] as const) {
      const { session } = await scrolledUp(9, { ord: 1, segment: 2 }, page, sent);
      expect(jsonOf(held(session))).toEqual(foldEvents(events));
    }
  });

  it('is exact wherever the stretch begins and whatever came in between', async () => {
    for (const from of [
      { ord: 1, segment: 1 },
      { ord: 1, segment: 2 },
      { ord: 2, segment: 0 },
      { ord: 2, segment: 1 },
    ])
      for (const snapshotAt of [8, 11, 14])
        for (let page = snapshotAt - 1; page <= all; page += 2)
          for (let sent = snapshotAt; sent <= all; sent += 3) {
            const { session, backend } = await scrolledUp(snapshotAt, from, page, sent);
            const where = `from ${from.ord}.${from.segment} at ${snapshotAt}, page ${page}, sent ${sent}`;
            expect(jsonOf(held(session)), where).toEqual(foldEvents(events));
            expect(backend.opened, where).toBe(1);
          }
  });

  it('reads all anew where what came in between is gone', async () => {
    const [session, backend] = await watching(7, { ord: 2, segment: 0 });
    Object.assign(backend, { page: 7, sentWithPage: 12, kept: 10 });
    await session.loadBefore();
    expect(backend.opened).toBe(2);
    expect(session.store.get()).toMatchObject({ generation: 2, loading: null });
  });

  it('is left where its place was dropped meanwhile', async () => {
    const [session, backend] = await watching(9, { ord: 1, segment: 2 });
    Object.assign(backend, { page: 9, sentWithPage: 9 });
    const loading = session.loadBefore();
    const { conversation } = session.store.get();
    session.store.set({ conversation: { ...conversation, messages: conversation.messages.slice(1) } });
    await loading;
    expect(held(session).messages.map(({ id }) => id)).toEqual(['b']);
    expect(session.store.get().loading).toBeNull();
  });

  it('still tells that a question was answered', async () => {
    const [session, backend] = await watching(7, { ord: 2, segment: 0 });
    Object.assign(backend, { page: 12, sentWithPage: 7 });
    await session.loadBefore();
    const run = {
      id: 'ra',
      agentId: 'x',
      memberId: 'main',
      startedAt: 1,
      stopping: false,
      home: '',
      waitsFor: ['q', 'p'],
      waitIntervals: [],
    };
    session.store.set({ conversation: { ...held(session), runs: [run] } });
    const resolved = { type: 'permission_resolved', segment: 1, item: 0, toolCallId: 'c1.0', requestId: 'q' };
    const [event] = sequence(
      of('a', { ...resolved, outcome: 'selected', status: 'running' } as never) as never,
    );
    (backend as unknown as { sink: Sink<Event> }).sink.events([{ ...event, seq: 8 } as Event]);
    await settle();
    expect(held(session).runs[0]?.waitsFor).toEqual(['p']);
    expect(held(session).messages[0]?.segments[1]).toMatchObject({ items: [{ status: 'completed' }] });
  });
});

describe('a page behind a stretch whose end is not held', () => {
  /** The loaded range has only the first segments of message a. */
  const cut = (session: Session) => {
    const { conversation } = session.store.get();
    const [first] = conversation.messages;
    if (first === undefined) throw new Error('nothing is held');
    const messages = [{ ...first, segments: first.segments.slice(0, 3), opaque: [] }];
    session.store.set({ conversation: { ...conversation, messages, hasBefore: false, hasAfter: true } });
  };

  it('is exact as well, and the cut stays where it was until then', async () => {
    for (const [page, sent] of [
      [15, 11],
      [11, 15],
      [13, 13],
    ] as const) {
      const [session, backend] = await watching(10, { ord: 1, segment: 0 });
      cut(session);
      backend.send(11);
      await settle();
      const [first] = held(session).messages;
      expect(first && segmentEnd(first)).toBe(3);
      Object.assign(backend, { page, sentWithPage: sent });
      await session.loadAfter();
      backend.send(all);
      await settle();
      // What was added since is outside the loaded range again.
      backend.page = all;
      await session.loadAfter();
      const [whole] = foldEvents(events);
      expect(jsonOf(held(session))).toEqual([whole]);
    }
  });

  it('opens no segment where it is cut', async () => {
    const [session, backend] = await watching(9, { ord: 1, segment: 0 });
    cut(session);
    backend.send(all);
    await settle();
    const [first] = held(session).messages;
    expect(first && segmentEnd(first)).toBe(3);
  });
});

const segmentsOf = (message: unknown) => (message as { segments: unknown[] }).segments;

describe('a place that is gone to', () => {
  it('is held as the events make it, whatever came in between', async () => {
    for (const snapshotAt of [8, 11, 14])
      for (let page = 4; page <= all; page += 2)
        for (let sent = snapshotAt; sent <= all; sent += 3) {
          const [session, backend] = await watching(snapshotAt, { ord: 2, segment: 0 });
          Object.assign(backend, { page, sentWithPage: sent });
          await session.openAt({ messageId: 'a', segment: 0, item: -1 });
          const where = `at ${snapshotAt}, page ${page}, sent ${sent}`;
          const ends = held(session).messages.map(segmentEnd);
          backend.send(all);
          await settle();
          const { messages, hasAfter } = held(session);
          expect(hasAfter, where).toBe(true);
          expect(
            messages.map(({ id }) => id),
            where,
          ).toEqual(['a']);
          expect(messages.map(segmentEnd), where).toEqual(ends);
          const [now] = jsonOf(held(session));
          const [whole] = foldEvents(events);
          expect(segmentsOf(now), where).toEqual(segmentsOf(whole).slice(0, ends[0]));
          expect(backend.opened, where).toBe(1);
        }
  });

  it('is not read again where it is held', async () => {
    const [session, backend] = await watching(14, { ord: 1, segment: 0 });
    const { generation } = session.store.get();
    await session.openAt({ messageId: 'b', segment: 1, item: 0 });
    expect(session.store.get().generation).toBe(generation);
    expect(backend.opened).toBe(1);
  });

  it('gives way to the one that is gone to next', async () => {
    const [session, backend] = await watching(14, { ord: 2, segment: 0 });
    Object.assign(backend, { page: 14, sentWithPage: 14 });
    const first = session.openAt({ messageId: 'a', segment: 0, item: -1 });
    await session.openAt({ messageId: 'b', segment: 0, item: -1 });
    await first;
    expect(held(session).messages.map(({ id }) => id)).toEqual(['b']);
  });

  it('gives way to a user who goes to the end meanwhile', async () => {
    const [session, backend] = await watching(14, { ord: 2, segment: 0 });
    Object.assign(backend, { page: 14, sentWithPage: 14 });
    const before = held(session).messages.map(({ id }) => id);
    const left = session.openAt({ messageId: 'a', segment: 0, item: -1 });
    session.cancelJump();
    await left;
    expect(held(session).messages.map(({ id }) => id)).toEqual(before);
    expect(held(session).hasAfter).toBe(false);
  });

  it('is held although the end was being read again when it was asked for', async () => {
    const [session, backend] = await watching(14, { ord: 2, segment: 0 });
    Object.assign(backend, { page: 14, sentWithPage: 14 });
    await session.openAt({ messageId: 'a', segment: 0, item: -1 });
    expect(held(session).hasAfter).toBe(true);
    const end = session.open();
    await session.openAt({ messageId: 'a', segment: 0, item: -1 });
    await end;
    expect(held(session).messages.map(({ id }) => id)).toEqual(['a']);
  });

  it('is read from a new snapshot where what came in between is gone', async () => {
    const [session, backend] = await watching(7, { ord: 2, segment: 0 });
    Object.assign(backend, { page: 7, sentWithPage: 12, kept: 10 });
    await session.openAt({ messageId: 'a', segment: 0, item: -1 });
    expect(backend.opened).toBeGreaterThan(1);
    expect(session.store.get().status).toBe('ready');
  });
});
