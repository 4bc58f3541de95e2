import { expect, test } from 'vitest';
import { Random } from '../markdown/testing/random';
import type { Appearance } from '../transport/api';
import type { Transport } from '../transport/transport';
import { AppearanceSaver } from './appearance';

const at = (textScale: number, revision?: number): Appearance => ({
  theme: 'system',
  density: 'comfortable',
  textScale,
  thoughts: 'in-place',
  language: 'system',
  ...(revision === undefined ? {} : { revision }),
});

interface Call {
  sent: Appearance;
  answer(appearance: Appearance): void;
  refuse(): void;
}

function held() {
  const calls: Call[] = [];
  const transport = {
    call: (_: string, sent: Appearance) =>
      new Promise((resolve, reject) =>
        calls.push({ sent, answer: resolve, refuse: () => reject(new Error('disk full')) }),
      ),
  } as unknown as Transport;
  const shown: number[] = [];
  const saver = new AppearanceSaver(transport, ({ textScale }) => shown.push(textScale));
  saver.begin(at(100, 1));
  return { calls, saver, last: () => shown.at(-1) };
}

/** Lets everything that waits for a response continue. */
const settled = () => new Promise((resolve) => setTimeout(resolve));

test('what is chosen is shown at once, and not undone by the echo of an earlier change', async () => {
  const { calls, saver, last } = held();
  const done = saver.save(at(110));
  expect(last()).toBe(110);
  void saver.save(at(120));
  saver.receive(at(110, 2));
  expect(last()).toBe(120);
  calls[0]?.answer(at(110, 2));
  await settled();
  calls[1]?.answer(at(120, 3));
  await done;
  saver.receive(at(110, 2)); // late
  expect(last()).toBe(120);
  saver.receive(at(110, 4)); // changed elsewhere meanwhile
  expect(last()).toBe(110);
});

test('a change elsewhere that comes before the answer to an older one is not undone by it', async () => {
  const { calls, saver, last } = held();
  const done = saver.save(at(110));
  saver.receive(at(90, 3));
  calls[0]?.answer(at(110, 2));
  await done;
  expect(last()).toBe(90);
});

test('what could not be saved is no longer shown', async () => {
  const { calls, saver, last } = held();
  const done = saver.save(at(110));
  void saver.save(at(120));
  calls[0]?.refuse();
  await done;
  expect(calls).toHaveLength(1);
  expect(last()).toBe(100);
});

test('one change is sent at a time, and of those that wait the last', async () => {
  const { calls, saver } = held();
  const done = saver.save(at(110));
  void saver.save(at(120));
  void saver.save(at(130));
  expect(calls).toHaveLength(1);
  calls[0]?.answer(at(110, 2));
  await settled();
  calls[1]?.answer(at(130, 3));
  await done;
  expect(calls.map(({ sent }) => sent.textScale)).toEqual([110, 130]);
});

test('a backend that starts counting again is believed', () => {
  const { saver, last } = held();
  saver.receive(at(90, 7));
  saver.begin(at(80, 1));
  expect(last()).toBe(80);
  saver.receive(at(120, 2));
  expect(last()).toBe(120);
});

test('whatever the order of answers and events, what was saved last is shown in the end', async () => {
  for (let round = 1; round <= 300; round++) {
    const random = new Random(round);
    const { calls, saver, last } = held();
    let saved = at(100, 1);
    const keep = (textScale: number) => {
      if (textScale !== saved.textScale) saved = at(textScale, (saved.revision ?? 0) + 1);
    };
    let [written, answered] = [0, 0];
    const answers: Appearance[] = [];
    const events: Appearance[] = [];
    const write = () => {
      const call = calls[written];
      if (call === undefined) return;
      written++;
      const before = saved;
      keep(call.sent.textScale);
      answers.push(saved);
      if (saved !== before) events.push(saved);
    };
    const answer = async () => {
      const of = answers[answered];
      if (of === undefined) return;
      calls[answered++]?.answer(of);
      await settled();
    };
    for (let step = 0; step < 20; step++) {
      switch (random.below(6)) {
        case 0:
        case 1:
          void saver.save(at(80 + random.below(7) * 10));
          break;
        case 2:
          write();
          break;
        case 3:
          await answer();
          break;
        case 4: // Another window saves.
          keep(80 + random.below(7) * 10);
          events.push(saved);
          break;
        case 5: {
          // One event may report several changes.
          const told = events.splice(0, 1 + random.below(events.length)).at(-1);
          if (told !== undefined) saver.receive(told);
        }
      }
    }
    const early = random.below(2) === 1;
    if (early) while (written < calls.length) write();
    if (early) for (const event of events.splice(0)) saver.receive(event);
    while (written < calls.length || answered < answers.length) {
      write();
      await answer();
    }
    for (const event of events) saver.receive(event);
    expect([round, last()]).toEqual([round, saved.textScale]);
  }
});
