// @vitest-environment jsdom
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { emptyConversation } from '../transcript/model';
import type { Outline, OutlineEntry } from '../transport/api';
import type { Transport } from '../transport/transport';
import { entryAt, SpaceOutline, ticksOf } from './outline';
import { Session } from './session';

const entry = (ord: number, segment = -1, kind: OutlineEntry['kind'] = 'prompt'): OutlineEntry => ({
  ...{ kind, messageId: `m${ord}`, ord, segment, item: -1 },
  ...{ text: '', at: 0, count: 1 },
});

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

it('is read in parts, and again from the message that was written', async () => {
  const parts: Outline[] = [
    { entries: [entry(1), entry(2, 3)], next: 3, open: 3, last: 4 },
    { entries: [entry(3, 1, 'edit')], next: 0, open: 3, last: 4 },
    { entries: [entry(3, 1, 'edit'), entry(3, 5, 'failure')], next: 0, open: 0, last: 4 },
  ];
  const asked: number[] = [];
  const call = vi.fn(async (_: string, { from }: { from: number }) => {
    asked.push(from);
    return parts.shift() ?? { entries: [], next: 0, open: 0, last: 4 };
  });
  const transport = { kind: 'serve', call } as unknown as Transport;
  const session = new Session(transport, 's');
  const outline = new SpaceOutline(transport, session);
  const stop = outline.use();
  await vi.advanceTimersByTimeAsync(10);
  expect(outline.store.get()).toMatchObject({ done: true, error: null });
  expect(outline.store.get().entries.map(({ ord }) => ord)).toEqual([1, 2, 3]);
  await vi.advanceTimersByTimeAsync(5000);
  expect(asked).toEqual([0, 3]);
  session.store.set({ conversation: { ...emptyConversation } });
  await vi.advanceTimersByTimeAsync(5000);
  expect(asked).toEqual([0, 3, 3]);
  expect(outline.store.get().entries.map(({ kind }) => kind)).toEqual([
    'prompt',
    'prompt',
    'edit',
    'failure',
  ]);
  stop();
  session.store.set({ conversation: { ...emptyConversation } });
  await vi.advanceTimersByTimeAsync(5000);
  expect(asked).toHaveLength(3);
});

it('finds the entry that a reader is at', () => {
  const entries = [entry(1), entry(2, -1), entry(2, 4, 'edit'), entry(5)];
  expect(entryAt(entries, 0, 0)).toBe(-1);
  expect(entryAt(entries, 1, 9)).toBe(0);
  expect(entryAt(entries, 2, 3)).toBe(1);
  expect(entryAt(entries, 2, 4)).toBe(2);
  expect(entryAt(entries, 9, 0)).toBe(3);
});

it('lets entries share a tick where there are more of them than ticks, and loses none', () => {
  const kinds = ['edit', 'edit', 'failure', 'prompt', 'edit', 'request', 'notice'] as const;
  const entries = kinds.map((kind, i) => entry(i, 0, kind));
  expect(ticksOf(entries, 100)).toHaveLength(7);
  for (let most = 1; most <= 8; most++) {
    const ticks = ticksOf(entries, most);
    expect(ticks[0]?.from).toBe(0);
    expect(ticks.at(-1)?.to).toBe(entries.length);
    ticks.forEach(({ from, to }, i) => {
      expect(to).toBeGreaterThan(from);
      expect(ticks[i + 1]?.from ?? to).toBe(to);
    });
  }
  expect(ticksOf(entries, 2).map(({ kind }) => kind)).toEqual(['failure', 'request']);
  expect(ticksOf([], 9)).toEqual([]);
});
