import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ExistingFiles } from './existing';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function files(...names: string[]) {
  const ask = vi.fn(
    async (paths: readonly string[]) => new Set(paths.filter((path) => names.includes(path))),
  );
  return { ask, existing: new ExistingFiles(ask), add: (name: string) => names.push(name) };
}

test('asks about many paths in one request, and about each once', async () => {
  const { ask, existing } = files('a');
  const answers = Promise.all(['a', 'b', 'a'].map((path) => existing.exists(path)));
  await vi.runAllTimersAsync();
  expect(await answers).toEqual([true, false, true]);
  expect(ask.mock.calls).toEqual([[['a', 'b']]]);
  expect(await existing.exists('a')).toBe(true);
  expect(existing.peek('b')).toBe(false);
  expect(ask).toHaveBeenCalledTimes(1);
});

test('asks in pieces, one after the other', async () => {
  const { ask, existing } = files();
  for (let i = 0; i < 250; i++) void existing.exists(`f${i}`);
  await vi.runAllTimersAsync();
  expect(ask.mock.calls.map(([paths]) => paths.length)).toEqual([100, 100, 50]);
});

test('a file that was missing is asked about again once files have changed', async () => {
  const { ask, existing, add } = files('a');
  void existing.exists('a');
  void existing.exists('b');
  await vi.runAllTimersAsync();
  add('b');
  existing.changed();
  const now = existing.exists('b');
  void existing.exists('a');
  await vi.runAllTimersAsync();
  expect(await now).toBe(true);
  expect(ask.mock.calls[1]).toEqual([['b']]);
});

test('nothing is known after a request that failed', async () => {
  const existing = new ExistingFiles(() => Promise.reject(new Error('offline')));
  const answer = existing.exists('a');
  await vi.runAllTimersAsync();
  expect(await answer).toBe(false);
  expect(existing.peek('a')).toBe(undefined);
});
