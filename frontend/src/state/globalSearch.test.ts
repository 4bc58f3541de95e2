import { expect, test, vi } from 'vitest';
import type { ResultCount, SearchAnswer, SearchHit } from '../transport/api';
import { CommandError, type Transport } from '../transport/transport';
import { GlobalSearch } from './globalSearch';

const hit = (n: number): SearchHit => ({
  spaceId: `s${n % 3}`,
  messageId: `m${n}`,
  segment: 0,
  item: -1,
  kind: 'answer',
  field: 'text',
  at: n,
  snippet: [],
});

function answer(from: number, count: number, next: number): SearchAnswer {
  const hits = Array.from({ length: count }, (_, i) => hit(from + i));
  const spaces = [...new Set(hits.map(({ spaceId }) => spaceId))].map((id) => ({
    id,
    title: id,
    folder: '/f',
    agentName: 'a',
    lastActivity: 0,
  }));
  return { hits, spaces, titles: [], next, notes: [], index: { done: 0, total: 0 } };
}

function searching(
  answers: (request: { query: string; next?: number }) => Promise<SearchAnswer>,
  count: (next: number) => ResultCount = () => ({ results: 0, spaces: [], next: 0 }),
) {
  const asked: string[] = [];
  const call = (command: string, request: { query: string; next?: number }) => {
    if (command === 'CountResults') return Promise.resolve(count(request.next ?? 0));
    asked.push(`${request.query}:${request.next ?? 0}`);
    return answers(request);
  };
  return { search: new GlobalSearch({ call } as unknown as Transport), asked };
}

test('pages are read until there are enough hits, and more when asked', async () => {
  const { search, asked } = searching(({ next = 0 }) => Promise.resolve(answer(next, 15, next + 15)));
  search.search('x');
  expect(search.store.get().busy).toBe(true);
  await vi.waitFor(() => expect(search.store.get().busy).toBe(false));
  expect(asked).toEqual(['x:0', 'x:15', 'x:30']);
  expect(search.store.get().hits).toHaveLength(45);
  expect([...search.store.get().spaces.keys()].sort()).toEqual(['s0', 's1', 's2']);
  search.more();
  await vi.waitFor(() => expect(search.store.get().hits).toHaveLength(90));
});

test('an answer to an earlier query is dropped', async () => {
  const waiting: ((answer: SearchAnswer) => void)[] = [];
  const { search } = searching(() => new Promise((resolve) => waiting.push(resolve)));
  search.search('old');
  search.search('new');
  waiting[1]?.(answer(0, 1, 0));
  await vi.waitFor(() => expect(search.store.get().query).toBe('new'));
  waiting[0]?.(answer(5, 5, 0));
  await Promise.resolve();
  expect(search.store.get().hits).toHaveLength(1);
});

test('what is searched for again is not taken for what another search is about to find', async () => {
  const waiting: ((answer: SearchAnswer) => void)[] = [];
  const { search, asked } = searching(() => new Promise((resolve) => waiting.push(resolve)));
  const found = (query: string) =>
    vi.waitFor(() => expect(search.store.get()).toMatchObject({ query, busy: false }));
  search.search('old');
  search.search('old');
  waiting[0]?.(answer(0, 1, 0));
  await found('old');
  search.search('old');
  expect(asked).toEqual(['old:0']);
  search.search('new');
  search.search('old');
  waiting[1]?.(answer(5, 5, 0));
  waiting[2]?.(answer(0, 1, 0));
  await found('old');
  expect(search.store.get().hits).toHaveLength(1);
  // A search that was stopped before it found anything starts again.
  search.search('new');
  search.stop();
  search.search('new');
  waiting[4]?.(answer(5, 5, 0));
  await found('new');
});

test('an error is kept with the query, and an empty query clears all', async () => {
  const { search } = searching(() => Promise.reject(new CommandError('invalid', 'Enter a word.')));
  search.search('->');
  await vi.waitFor(() => expect(search.store.get().error?.message).toBe('Enter a word.'));
  expect(search.store.get().query).toBe('->');
  search.search('  ');
  expect(search.store.get()).toMatchObject({ query: '', error: null, busy: false });
});

test('results are counted behind the hits, and only for the last query', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout'] });
  const counted: number[] = [];
  const { search } = searching(
    ({ next = 0 }) => Promise.resolve(answer(next, 50, next + 50)),
    (next) => {
      counted.push(next);
      return { results: 400, spaces: ['s1', 's9'], next: next < 200 ? next + 100 : 0 };
    },
  );
  search.search('old');
  search.search('new');
  await vi.waitFor(() => expect(search.store.get().busy).toBe(false));
  expect(search.store.get().total).toBeNull();
  await vi.advanceTimersByTimeAsync(1000);
  expect(counted).toEqual([50, 150, 250]);
  expect(search.store.get().total).toEqual({ results: 1250, spaces: 4, more: false });
  vi.useRealTimers();
});

test('what is all there is counted at once, and a count that takes too long stops', async () => {
  const { search } = searching(() => Promise.resolve(answer(0, 4, 0)));
  search.search('x');
  await vi.waitFor(() => expect(search.store.get().total).toEqual({ results: 4, spaces: 3, more: false }));
  const endless = searching(
    () => Promise.resolve(answer(0, 50, 50)),
    () => ({ results: 3000, spaces: [], next: 7 }),
  );
  endless.search.search('x');
  await vi.waitFor(() =>
    expect(endless.search.store.get().total).toEqual({ results: 12_050, spaces: 3, more: true }),
  );
});
