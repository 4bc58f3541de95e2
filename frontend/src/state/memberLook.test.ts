import { expect, it, test } from 'vitest';
import { monogram, toneCount, toneOf, tonesOf } from './memberLook';

test.each([
  ['Robin', 'Ro'],
  ['code reviewer', 'CR'],
  ['tester-2', 'T2'],
  ['x', 'X'],
  ['', '?'],
  ['🦊 fox', '🦊F'],
])('%j is shortened to %j', (name, letters) => {
  expect(monogram(name)).toBe(letters);
});

it('gives each member of a space a colour of its own, as far as they reach', () => {
  const ids = Array.from({ length: toneCount }, (_, i) => ({ id: `member-${i}` }));
  expect(new Set(tonesOf(ids).values()).size).toBe(toneCount);
  const many = tonesOf([...ids, { id: 'one more' }]);
  expect(many.get('one more')).toBe(toneOf('one more'));
});

it('keeps the colours of those that are there when others come', () => {
  const before = tonesOf([{ id: 'main' }, { id: 'x' }]);
  const after = tonesOf([{ id: 'main' }, { id: 'x' }, { id: 'y' }, { id: 'z' }]);
  for (const [id, tone] of before) expect(after.get(id)).toBe(tone);
});
