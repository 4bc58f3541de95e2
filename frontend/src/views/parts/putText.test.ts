import { expect, it } from 'vitest';
import { Random } from '../../markdown/testing/random';
import { difference } from './putText';

it('replaces only what differs, and no half of a character', () => {
  const random = new Random(40);
  const letters = ['a', 'b', '\n', '😀', '😁', '👨‍👩‍👧'];
  const text = () => Array.from({ length: random.below(6) }, () => random.pick(letters)).join('');
  for (let i = 0; i < 3000; i++) {
    const [before, after] = [text(), text()];
    const { from, to, inserted } = difference(before, after);
    expect(before.slice(0, from) + inserted + before.slice(to)).toBe(after);
    expect(from).toBeLessThanOrEqual(to);
    for (const part of [before.slice(0, from), before.slice(from, to), inserted, before.slice(to)])
      expect(() => encodeURIComponent(part), JSON.stringify([before, after])).not.toThrow();
  }
  expect(difference('Compare @appl, please', 'Compare @src/apples.js , please')).toEqual({
    from: 9,
    to: 9 + 4,
    inserted: 'src/apples.js ',
  });
});
