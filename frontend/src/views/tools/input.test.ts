import { expect, it } from 'vitest';
import { inputRows, withoutRouting } from './input';

it('shows a small flat input as fields', () => {
  expect(inputRows({ path: 'a.go', limit: 20, all: true })).toEqual([
    ['path', 'a.go'],
    ['limit', '20'],
    ['all', 'true'],
  ]);
  expect(inputRows({ nested: {} })).toBeNull();
  expect(inputRows({ path: 'a', text: 'a\nb' })).toEqual([
    ['path', 'a'],
    ['text', 'a\nb'],
  ]);
  expect(inputRows({})).toBeNull();
});

it('leaves out where a display is shown, however much of it is written', () => {
  const whole =
    '{"title":"a, \\"targetSpaceId\\": {","targetSpaceId":"s1","rows":[{"targetSpaceId":"inner"}]}';
  for (let n = 0; n <= whole.length; n++) {
    const shown = withoutRouting(whole.slice(0, n));
    expect(shown).not.toContain('s1');
    expect(whole.replace('"targetSpaceId":"s1",', '').startsWith(shown) || !shown.includes('}')).toBe(true);
  }
  expect(withoutRouting(whole)).toBe(whole.replace('"targetSpaceId":"s1",', ''));
  expect(withoutRouting('{"targetSpaceId": null, "a": 1}')).toBe('{"a": 1}');
  expect(withoutRouting('{"a": 1, "targetSpaceId": "s1"}')).toBe('{"a": 1}');
  expect(withoutRouting('{"a": {"targetSpaceId": "x"}}')).toBe('{"a": {"targetSpaceId": "x"}}');
});
