import { describe, expect, it, vi } from 'vitest';
import type { Event } from '../transcript/types';
import type { Events } from './api';
import { Feed } from './feed';

const event = (seq: number, epoch = 1) => ({ type: 'title', epoch, seq, at: 0 }) as Event;
const events = (...seqs: number[]) => seqs.map((seq) => event(seq));

function feed() {
  const applied: number[] = [];
  const reset = vi.fn();
  let answer: (events: Events) => void = () => {};
  let refuse: () => void = () => {};
  const call = vi.fn(
    () =>
      new Promise<Events>((resolve, reject) => {
        answer = resolve;
        refuse = () => reject(new Error('offline'));
      }),
  );
  const stopWatching = vi.fn();
  const transport = { watch: vi.fn(() => stopWatching), call } as never;
  const one = new Feed(
    transport,
    's',
    { epoch: 1, seq: 4 },
    {
      apply: (list) => applied.push(...list.map(({ seq }) => seq)),
      reset,
    },
  );
  one.start();
  return {
    one,
    applied,
    reset,
    call,
    stopWatching,
    answer: async (...args: Parameters<typeof answer>) => {
      answer(...args);
      await Promise.resolve();
      await Promise.resolve();
    },
    refuse: async () => {
      refuse();
      await Promise.resolve();
      await Promise.resolve();
    },
  };
}

describe('a feed', () => {
  it('passes on what continues its place, once', () => {
    const { one, applied, call } = feed();
    one.events(events(3, 4, 5, 6));
    one.events(events(6, 7));
    expect(applied).toEqual([5, 6, 7]);
    expect(one.at).toEqual({ epoch: 1, seq: 7 });
    expect(call).not.toHaveBeenCalled();
  });

  it('asks for a hole, and keeps what comes meanwhile', async () => {
    const { one, applied, call, answer } = feed();
    one.events(events(5, 8));
    one.events(events(9));
    expect(applied).toEqual([5]);
    expect(call).toHaveBeenCalledExactlyOnceWith('Since', { spaceId: 's', epoch: 1, seq: 5 });
    await answer({ epoch: 1, seq: 8, reset: false, events: events(6, 7, 8) });
    expect(applied).toEqual([5, 6, 7, 8, 9]);
  });

  it('asks again where there is another hole after the first', async () => {
    const { one, applied, call, answer } = feed();
    one.events(events(6));
    one.events(events(9));
    await answer({ epoch: 1, seq: 6, reset: false, events: events(5, 6) });
    expect(call).toHaveBeenCalledTimes(2);
    await answer({ epoch: 1, seq: 9, reset: false, events: events(7, 8, 9) });
    expect(applied).toEqual([5, 6, 7, 8, 9]);
  });

  it('starts anew when the hole cannot be filled', async () => {
    for (const answered of [
      { epoch: 1, seq: 9, reset: true, events: [] },
      { epoch: 2, seq: 9, reset: false, events: [] },
      { epoch: 1, seq: 4, reset: false, events: [] },
    ]) {
      const { one, reset, answer, stopWatching } = feed();
      one.events(events(9));
      await answer(answered);
      expect(reset).toHaveBeenCalledOnce();
      expect(stopWatching).toHaveBeenCalledOnce();
    }
    const { one, reset, refuse } = feed();
    one.events(events(9));
    await refuse();
    expect(reset).toHaveBeenCalledOnce();
  });

  it('starts anew after a gap and in a new epoch', () => {
    const gap = feed();
    gap.one.gap();
    expect(gap.reset).toHaveBeenCalledOnce();
    const epoch = feed();
    epoch.one.events([event(5), event(1, 2)]);
    expect(epoch.applied).toEqual([5]);
    expect(epoch.reset).toHaveBeenCalledOnce();
  });

  it('is silent once it was stopped', async () => {
    const { one, applied, reset, answer } = feed();
    one.events(events(9));
    one.stop();
    await answer({ epoch: 1, seq: 9, reset: false, events: events(5, 6, 7, 8, 9) });
    one.events(events(10));
    one.gap();
    expect(applied).toEqual([]);
    expect(reset).not.toHaveBeenCalled();
  });
});
