import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Pulse } from './pulse';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('says after a bit more than three seconds that nothing comes, once, and gives up later', () => {
  const heard: string[] = [];
  const pulse = new Pulse(
    () => heard.push('silent'),
    () => heard.push('dead'),
  );
  const stop = pulse.start();
  for (let i = 0; i < 20; i++) {
    vi.advanceTimersByTime(2900);
    pulse.beat();
  }
  expect(heard).toEqual([]);
  vi.advanceTimersByTime(3500);
  expect(heard).toEqual(['silent']);
  vi.advanceTimersByTime(7000);
  expect(heard).toEqual(['silent', 'dead']);
  vi.advanceTimersByTime(60_000);
  expect(heard).toEqual(['silent', 'dead']);
  pulse.beat();
  stop();
  vi.advanceTimersByTime(60_000);
  expect(heard).toHaveLength(2);
});
