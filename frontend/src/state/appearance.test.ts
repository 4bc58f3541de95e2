import { describe, expect, test } from 'vitest';
import type { Appearance } from '../transport/api';
import type { Transport } from '../transport/transport';
import { AppearanceSaver } from './appearance';

const at = (textScale: number): Appearance => ({
  theme: 'system',
  density: 'comfortable',
  textScale,
  thoughts: 'in-place',
  language: 'system',
});

function held() {
  const calls: { sent: Appearance; answer(): void }[] = [];
  const transport = {
    call: (_: string, sent: Appearance) =>
      new Promise((resolve) => calls.push({ sent, answer: () => resolve(sent) })),
  } as unknown as Transport;
  const shown: number[] = [];
  const saver = new AppearanceSaver(transport, ({ textScale }) => shown.push(textScale));
  return { calls, saver, last: () => shown.at(-1) };
}

describe('saving the appearance', () => {
  test('is not undone by the echo of an earlier change', async () => {
    const { calls, saver, last } = held();
    const done = saver.save(at(110));
    void saver.save(at(100));
    saver.heard(at(110));
    expect(last()).toBe(100);
    calls[0]?.answer();
    await Promise.resolve();
    await Promise.resolve();
    expect(calls.map(({ sent }) => sent.textScale)).toEqual([110, 100]);
    saver.heard(at(110));
    expect(last()).toBe(100);
    calls[1]?.answer();
    await done;
    expect(last()).toBe(100);
  });

  test('is not undone by an echo that comes after the answer to a later change', async () => {
    const { calls, saver, last } = held();
    const done = saver.save(at(110));
    void saver.save(at(100));
    calls[0]?.answer();
    await Promise.resolve();
    await Promise.resolve();
    calls[1]?.answer();
    await done;
    saver.heard(at(110));
    expect(last()).toBe(100);
    saver.heard(at(100));
    saver.heard(at(110)); // changed elsewhere by now
    expect(last()).toBe(110);
    saver.heard(at(90));
    expect(last()).toBe(90);
  });

  test('sends one at a time, and of those that wait the last', async () => {
    const { calls, saver } = held();
    const done = saver.save(at(110));
    void saver.save(at(120));
    void saver.save(at(130));
    expect(calls).toHaveLength(1);
    calls[0]?.answer();
    await Promise.resolve();
    await Promise.resolve();
    calls[1]?.answer();
    await done;
    expect(calls.map(({ sent }) => sent.textScale)).toEqual([110, 130]);
  });

  test('hears what changed elsewhere', () => {
    const { saver, last } = held();
    saver.heard(at(90));
    expect(last()).toBe(90);
  });
});
