import { expect, it } from 'vitest';
import { Answered } from './answered';

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
