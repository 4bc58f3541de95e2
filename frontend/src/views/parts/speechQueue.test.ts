import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { pace, SpeechQueue } from './speechQueue';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function voice() {
  const said: [at: number, text: string][] = [];
  const begin = performance.now();
  const one = new SpeechQueue(
    (text) => said.push([performance.now() - begin, text]),
    (texts) => texts.join(' '),
  );
  return { one, said };
}

it('says the first text at once, and what comes soon after it together', () => {
  const { one, said } = voice();
  one.say('');
  one.say('a');
  expect(said).toEqual([[0, 'a']]);
  one.say('b');
  vi.advanceTimersByTime(1000);
  one.say('c');
  vi.advanceTimersByTime(pace - 1001);
  expect(said).toHaveLength(1);
  vi.advanceTimersByTime(1);
  expect(said.slice(1)).toEqual([[pace, 'b c']]);
  vi.advanceTimersByTime(10 * pace);
  one.say('d');
  expect(said.slice(2)).toEqual([[11 * pace, 'd']]);
});

it('is not flooded, and leaves nothing out that fits', () => {
  const { one, said } = voice();
  for (let n = 0; n < 1000; n++) {
    one.say(`${n}`);
    vi.advanceTimersByTime(37);
  }
  vi.advanceTimersByTime(pace);
  for (const [i, [at]] of said.entries())
    if (i > 0) expect(at - (said[i - 1]?.[0] ?? 0)).toBeGreaterThanOrEqual(pace);
  expect(said.map(([, text]) => text).join(' ')).toBe(Array.from({ length: 1000 }, (_, n) => n).join(' '));
});

it('says no more than can be listened to, and nothing once it is stopped', () => {
  const { one, said } = voice();
  one.say('x'.repeat(100_000));
  expect(said[0]?.[1]).toHaveLength(2000);
  one.say('later');
  one.stop();
  vi.advanceTimersByTime(10 * pace);
  expect(said).toHaveLength(1);
});
