import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { FrameJob } from './frame';

let frames: FrameRequestCallback[] = [];
const frame = (time: number) => {
  for (const callback of frames.splice(0)) callback(time);
};

beforeEach(() => {
  frames = [];
  vi.useFakeTimers();
  vi.stubGlobal('requestAnimationFrame', (callback: FrameRequestCallback) => frames.push(callback));
  vi.stubGlobal('cancelAnimationFrame', (id: number) => frames.splice(id - 1, 1));
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

it('runs once for a frame, however often it was asked for', () => {
  const job = vi.fn();
  const one = new FrameJob(job);
  one.ask();
  one.ask();
  expect(job).not.toHaveBeenCalled();
  expect(one.isIn(16)).toBe(true);
  frame(16);
  expect(job).toHaveBeenCalledOnce();
  expect([one.isIn(16), one.isIn(33)]).toEqual([true, false]);
});

it.each(['before', 'behind'])('leaves a frame to a job that was asked for %s it, but only one', (when) => {
  const ran: string[] = [];
  const first = new FrameJob(() => ran.push('first'));
  const second = new FrameJob(
    () => ran.push('second'),
    (time) => first.isIn(time),
  );
  const both = when === 'before' ? [first, second] : [second, first];
  for (const job of both) job.ask();
  frame(16);
  expect(ran).toEqual(['first']);
  for (const job of both) job.ask();
  frame(33);
  expect(ran.toSorted()).toEqual(['first', 'first', 'second']);
  second.ask();
  frame(50);
  expect(ran.at(-1)).toBe('second');
});

it('runs without a frame where the page is not shown, and at once where it has to', () => {
  const job = vi.fn();
  const one = new FrameJob(job, () => true);
  one.ask();
  vi.advanceTimersByTime(250);
  expect(job).toHaveBeenCalledOnce();
  one.ask();
  one.run();
  expect(job).toHaveBeenCalledTimes(2);
  frame(16);
  expect(job).toHaveBeenCalledTimes(2);
});
