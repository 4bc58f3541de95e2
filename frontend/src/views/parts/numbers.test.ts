import { describe, expect, it } from 'vitest';
import { ago, clock, remaining } from './numbers';

describe('a time of a day', () => {
  const now = new Date(2026, 10, 23, 9, 0).getTime();
  it.each([
    [new Date(2026, 10, 23, 0, 1), false, false],
    [new Date(2026, 10, 22, 23, 59), true, false],
    [new Date(2025, 10, 23, 9, 0), true, true],
  ])('%s is told with its day where that is not today', (at, day, year) => {
    const said = clock(at.getTime(), now);
    expect(said).toContain(String(at.getMinutes()).padStart(2, '0'));
    expect(said.includes(at.toLocaleDateString(undefined, { month: 'short' }))).toBe(day);
    expect(said.includes('2025')).toBe(year);
  });
});

it('tells the year of what is older than this one', () => {
  const now = new Date(2026, 10, 23, 9, 0).getTime();
  expect(ago(new Date(2026, 1, 28).getTime(), now)).not.toContain('2026');
  expect(ago(new Date(2025, 1, 28).getTime(), now)).toContain('2025');
});

it.each([
  [800, '0 s'],
  [42_000, '42 s'],
  [60_000, '1 min'],
  [12 * 60_000, '12 min'],
  [11 * 60_000 + 1, '12 min'],
  [59 * 60_000 + 30_000, '1 h'],
  [2 * 60 * 60_000 + 5 * 60_000, '2 h 5 min'],
])('%d ms to wait are %s', (ms, said) => {
  expect(remaining(ms).replaceAll('\u202f', ' ')).toBe(said);
});
