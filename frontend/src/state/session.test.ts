// @vitest-environment jsdom
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { agent, sequence, text } from '../transcript/events.fixture';
import type { Event } from '../transcript/types';
import type { Snapshot } from '../transport/api';
import type { Sink, Transport } from '../transport/transport';
import { Session } from './session';

const space = { id: 's1', title: 'One', folder: '/tmp' };

function snapshot(seq: number, words: string): Snapshot {
  const segment = {
    type: 'text',
    text: words,
    textStart: 0,
    author: '',
    parentToolCallId: '',
    itemCount: 0,
    firstItem: 0,
    items: [],
    kindCounts: {},
    statusCounts: {},
    display: null,
  };
  const message = {
    id: 'm1',
    ord: 1,
    runId: 'r1',
    role: 'agent',
    author: { kind: 'agent' },
    model: '',
    createdAt: 1,
    endedAt: 0,
    stopReason: '',
    usage: null,
    error: null,
    segmentCount: 1,
    firstSegment: 0,
    segments: [segment],
    opaque: [],
  };
  return {
    space,
    epoch: 1,
    seq,
    page: { messages: [message], hasBefore: false, hasAfter: false },
    state: {},
    runs: [],
  } as unknown as Snapshot;
}

let sinks: Sink<Event>[] = [];
const places: unknown[] = [];
const answers: Snapshot[] = [];
const stop = vi.fn();
const transport = {
  kind: 'serve',
  call: vi.fn(async () => answers.shift()),
  watch: vi.fn((_: string, place: () => unknown, sink: Sink<Event>) => {
    sinks.push(sink);
    places.push(place());
    return stop;
  }),
} as unknown as Transport;

beforeEach(() => {
  vi.useFakeTimers();
  sinks = [];
  places.length = 0;
});
afterEach(() => vi.useRealTimers());

const words = (session: Session) => {
  const segment = session.store.get().conversation.messages.at(-1)?.segments.at(-1);
  return segment?.type === 'text' ? segment.text.toString() : '';
};
const settle = () => vi.advanceTimersByTimeAsync(300);

async function opened(): Promise<Session> {
  answers.push(snapshot(10, 'Hello'));
  const session = new Session(transport, 's1');
  session.watch();
  await settle();
  return session;
}

const event = (seq: number, content: string) => ({ ...sequence(text(0, content))[0], seq }) as Event;

it('takes a snapshot and goes on from its place', async () => {
  const session = await opened();
  expect(words(session)).toBe('Hello');
  expect(places).toEqual([{ epoch: 1, seq: 10 }]);
  sinks[0]?.events([event(11, ', world'), event(12, '.')]);
  await settle();
  expect(words(session)).toBe('Hello, world.');
});

it('draws once per frame, however many events there were', async () => {
  const session = await opened();
  const drawn = vi.fn();
  session.store.subscribe(drawn);
  for (let i = 1; i <= 50; i++) sinks[0]?.events([event(10 + i, 'x')]);
  expect(drawn).not.toHaveBeenCalled();
  await settle();
  expect(drawn).toHaveBeenCalledOnce();
});

it('takes a new snapshot after a gap, and loses what was pending to it', async () => {
  const session = await opened();
  sinks[0]?.events([event(11, ' old')]);
  answers.push(snapshot(40, 'Hello old and new'));
  sinks[0]?.gap();
  await settle();
  expect(words(session)).toBe('Hello old and new');
  expect(session.store.get().generation).toBe(2);
  expect(places.at(-1)).toEqual({ epoch: 1, seq: 40 });
});

it('keeps what it has while nobody looks, and goes on from there', async () => {
  const session = await opened();
  sinks[0]?.events([event(11, '!')]);
  session.unwatch();
  expect(stop).toHaveBeenCalled();
  expect(words(session)).toBe('Hello!');
  session.watch();
  expect(places.at(-1)).toEqual({ epoch: 1, seq: 11 });
});

it('says why a space cannot be opened, and opens it the next time', async () => {
  const session = new Session(transport, 's1');
  vi.mocked(transport.call).mockRejectedValueOnce(new Error('gone'));
  session.watch();
  await settle();
  expect(session.store.get()).toMatchObject({ status: 'failed', error: { message: 'gone' } });
  answers.push(snapshot(1, 'Back'));
  await session.open();
  expect(session.store.get().status).toBe('ready');
});

it('stops one of those who work, or all', async () => {
  const session = await opened();
  const run = { type: 'run_created', agentId: 'a', agentName: 'A' } as const;
  const [one, two] = sequence({ ...run, runId: 'r1' }, { ...run, runId: 'r2', memberId: 'two' });
  sinks[0]?.events([{ ...one, seq: 11 } as Event, { ...two, seq: 12 } as Event]);
  await settle();
  const stopping = () => session.store.get().conversation.runs.map((now) => now.stopping);
  session.markStopping('two');
  expect(stopping()).toEqual([false, true]);
  session.markStopping();
  expect(stopping()).toEqual([true, true]);
});

it('starts the agent of each member once, and keeps why one could not be started', async () => {
  const session = await opened();
  const asked = vi.mocked(transport.call).mock.calls.length;
  vi.mocked(transport.call).mockRejectedValueOnce(new Error('not found'));
  session.prepare('main');
  session.prepare('main');
  session.prepare('two');
  await settle();
  expect(vi.mocked(transport.call).mock.calls.slice(asked)).toEqual([
    ['PrepareAgent', { spaceId: 's1', memberId: 'main' }],
    ['PrepareAgent', { spaceId: 's1', memberId: 'two' }],
  ]);
  expect(Object.keys(session.store.get().startErrors)).toEqual(['main']);
  session.prepare('main', true);
  await settle();
  expect(session.store.get().startErrors).toEqual({});
});

it('opens new messages that come as events', async () => {
  const session = await opened();
  const [start] = sequence({ ...agent, messageId: 'm2' });
  sinks[0]?.events([{ ...start, seq: 11 } as Event]);
  await settle();
  expect(session.store.get().conversation.messages.map(({ id, ord }) => [id, ord])).toEqual([
    ['m1', 1],
    ['m2', 2],
  ]);
});

/** A loaded conversation including its end, just below the size limit. */
function long(): Snapshot {
  const answer = snapshot(10, 'Hello');
  const [message] = answer.page.messages;
  const [segment] = message?.segments ?? [];
  if (message === undefined || segment === undefined) throw new Error('a snapshot has a message');
  message.firstSegment = 500;
  message.segments = Array.from({ length: 750 }, () => ({ ...segment }));
  message.segmentCount = 1250;
  answer.page.hasBefore = true;
  return answer;
}

/** The part above it. */
function above(): Snapshot {
  const { page } = long();
  const [message] = page.messages;
  if (message === undefined) throw new Error('a page has a message');
  message.firstSegment = 380;
  message.segments = message.segments.slice(0, 120);
  return { ...page, epoch: 1, seq: 10, hasAfter: true } as unknown as Snapshot;
}

it.each([
  { where: 'above', segment: 380, end: false },
  { where: 'at the end', segment: Number.MAX_SAFE_INTEGER, end: true },
])('drops what is far from where the user reads once the view rests: $where', async ({ segment, end }) => {
  answers.push(long());
  const session = new Session(transport, 's1');
  session.watch();
  await settle();
  session.atEnd = false;
  answers.push(above());
  await session.loadBefore();
  expect(held(session)).toEqual({ from: 380, to: 1250, hasAfter: false });
  session.dropDistant({ messageId: 'm1', segment, item: -1 });
  expect(held(session)).toEqual(
    end ? { from: 751, to: 1250, hasAfter: false } : { from: 380, to: 879, hasAfter: true },
  );
  // One call is enough.
  session.dropDistant({ messageId: 'm1', segment: 0, item: -1 });
  expect(held(session).hasAfter).toBe(!end);
});

it('holds the end when a page comes that was asked for above before the user went there', async () => {
  const answer = long();
  const [message] = answer.page.messages;
  if (message === undefined) throw new Error('a snapshot has a message');
  message.segments = Array.from({ length: 2350 }, () => ({ ...(message.segments[0] as object) })) as never;
  message.segmentCount = 2850;
  answers.push(answer);
  const session = new Session(transport, 's1');
  session.watch();
  await settle();
  session.atEnd = false;
  answers.push(above());
  const loaded = session.loadBefore();
  session.atEnd = true;
  await loaded;
  expect(held(session)).toEqual({ from: 2351, to: 2850, hasAfter: false });
});

it('drops the end of a conversation that grows while the user reads above', async () => {
  answers.push(long());
  const session = new Session(transport, 's1');
  session.watch();
  await settle();
  session.atEnd = false;
  const ends = sequence(
    ...Array.from({ length: 100 }, (_, i) => ({ ...text(1250 + i, 'More'), messageId: 'm1' })),
  );
  sinks.at(-1)?.events(ends.map((event, i) => ({ ...event, seq: 11 + i }) as Event));
  await settle();
  expect(held(session)).toEqual({ from: 500, to: 1350, hasAfter: false });
  session.dropDistant({ messageId: 'm1', segment: 510, item: -1 });
  expect(held(session)).toEqual({ from: 500, to: 999, hasAfter: true });
});

/** What a session has loaded of its last message. */
function held(session: Session) {
  const { messages, hasAfter } = session.store.get().conversation;
  const last = messages.at(-1);
  const from = last?.firstSegment ?? 0;
  return { from, to: from + (last?.segments.length ?? 0), hasAfter };
}

it('is open once the newest snapshot that was asked for is there', async () => {
  const session = await opened();
  const asked: ((answer: Snapshot) => void)[] = [];
  const call = vi.mocked(transport.call);
  call.mockImplementation(() => new Promise((answer) => asked.push(answer as () => void)) as never);
  let isOpen = false;
  void session.open().then(() => {
    isOpen = true;
  });
  void session.open();
  asked[0]?.(snapshot(11, 'Old'));
  await settle();
  expect(isOpen).toBe(false);
  asked[1]?.(snapshot(12, 'New'));
  await settle();
  expect(isOpen).toBe(true);
  expect(words(session)).toBe('New');
  // Leaving the space stops waiting.
  const left = session.open();
  session.unwatch();
  asked[2]?.(snapshot(13, 'Newer'));
  await expect(left).resolves.toBeUndefined();
  call.mockImplementation(async () => answers.shift() as never);
});
