import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Answered, AnswerUndone } from './answered';

it('knows an answer while it is on its way and after, and not if it was refused', async () => {
  const answered = new Answered();
  let taken: (() => void) | undefined;
  const sent = answered.by('a', () => new Promise<void>((done) => (taken = done)));
  expect(answered.has('a')).toBe(true);
  taken?.();
  await sent;
  expect(answered.has('a')).toBe(true);
  await expect(answered.by('b', () => Promise.reject(new Error('too late')))).rejects.toThrow('too late');
  expect(answered.has('b')).toBe(false);
  await answered.by(
    'c',
    async () => 0,
    (n) => n > 0,
  );
  expect(answered.has('c')).toBe(false);
});

it('forgets the oldest', async () => {
  const answered = new Answered();
  for (let i = 0; i < 101; i++) await answered.by(String(i), async () => {});
  expect(answered.has('0')).toBe(false);
  expect(answered.has('100')).toBe(true);
});

describe('an answer that can be taken back', () => {
  beforeEach(() => vi.useFakeTimers());
  afterEach(() => vi.useRealTimers());

  function holding() {
    const answered = new Answered();
    answered.grace = 4000;
    const sent: string[] = [];
    const by = (id: string) => answered.sendHeld(id, async () => void sent.push(id));
    return { answered, sent, by };
  }

  it('is sent when its time is over, and counts as answered from the first moment', async () => {
    const { answered, sent, by } = holding();
    const done = by('a');
    expect([answered.has('a'), answered.held.get().ids, sent]).toEqual([true, ['a'], []]);
    await vi.advanceTimersByTimeAsync(3999);
    expect(sent).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    await done;
    expect([answered.has('a'), answered.held.get().ids, sent]).toEqual([true, [], ['a']]);
    expect(answered.undo()).toBeUndefined();
  });

  it('is never sent when it was taken back, the latest one first, and may be given anew', async () => {
    const { answered, sent, by } = holding();
    const first = by('a');
    const second = by('b');
    expect(answered.undo()).toBe('b');
    await expect(second).rejects.toThrow(AnswerUndone);
    expect([answered.has('b'), answered.held.get().ids]).toEqual([false, ['a']]);
    expect(answered.undo('a')).toBe('a');
    await expect(first).rejects.toThrow(AnswerUndone);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(sent).toEqual([]);
    const again = by('a');
    await vi.advanceTimersByTimeAsync(4000);
    await again;
    expect(sent).toEqual(['a']);
  });

  it('is sent at once when the user leaves', async () => {
    const { answered, sent, by } = holding();
    const done = Promise.all([by('a'), by('b')]);
    answered.grace = 0;
    answered.flush();
    await done;
    expect([answered.held.get().ids, sent]).toEqual([[], ['a', 'b']]);
    await by('c');
    await vi.advanceTimersByTimeAsync(10_000);
    expect(sent).toEqual(['a', 'b', 'c']);
  });
});
