import { describe, expect, it } from 'vitest';
import { lines, oneLine, wholeLine } from './clean';
import { bytes, count, duration, running } from './numbers';

describe('untrusted text', () => {
  it('shows what would hide or reorder', () => {
    expect(oneLine('invoice\u202Efdp.exe')).toBe('invoice\\u{202e}fdp.exe');
    expect(oneLine('a\u200bb\u0007')).toBe('a\\u{200b}b\\u{7}');
    expect(oneLine('a\u{e0041}')).toBe('a\\u{e0041}');
    expect(lines('a\r\n\tb\u2066')).toBe('a\n\tb\\u{2066}');
  });

  it('makes one line of several, and drops colours', () => {
    expect(oneLine('\u001b[31mFAIL\u001b[0m\n  here')).toBe('FAIL   here');
  });

  it('leaves ordinary text of any script alone', () => {
    for (const text of ['Grüße', '日本語', 'العربية', '👍🏽', 'a – b']) expect(oneLine(text)).toBe(text);
  });

  it('is cut where no line has room for it, but never where all of it counts', () => {
    const address = `https://sign.in/?next=${'a'.repeat(3_000_000)}`;
    expect(oneLine(address)).toHaveLength(501);
    expect(oneLine(`${'👍'.repeat(400)}a`)).not.toMatch(/[\ud800-\udbff]…/);
    expect(oneLine(`a${'👍'.repeat(400)}`)).not.toMatch(/[\ud800-\udbff]…/);
    expect(wholeLine(address)).toBe(address);
  });
});

describe('numbers', () => {
  it('have thin spaces and units', () => {
    expect(count(1234567)).toBe('1,234,567');
    expect([420, 4230, 59_960, 125_000, 3_900_000].map(duration)).toEqual([
      '420\u202fms',
      '4.2\u202fs',
      '1\u202fmin 0\u202fs',
      '2\u202fmin 5\u202fs',
      '1\u202fh 5\u202fmin',
    ]);
    expect(running(4999)).toBe('4\u202fs');
    expect([12, 2048, 5 << 20].map(bytes)).toEqual(['12\u202fB', '2.0\u202fKB', '5.0\u202fMB']);
  });
});
