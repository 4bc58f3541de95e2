import { describe, expect, it } from 'vitest';
import { fromLine, withoutTail } from './tail';

describe('the end of a text', () => {
  it('is cut', () => {
    expect(withoutTail('a//b///', '/')).toBe('a//b');
    expect(withoutTail('///', '/')).toBe('');
    expect(withoutTail('a', '/')).toBe('a');
  });

  it('begins with a whole line', () => {
    expect(fromLine('half\nwhole\nlast\n')).toBe('whole\nlast\n');
    expect(fromLine('half\nwhole line')).toBe('whole line');
    expect(fromLine('one long line without an end')).toBe('one long line without an end');
    expect(fromLine('one long line\n')).toBe('one long line\n');
    expect(fromLine(`${'x'.repeat(90)}\nend`)).toBe(`${'x'.repeat(90)}\nend`);
    expect(fromLine('😀 half'.slice(1))).toBe(' half');
    expect(fromLine('')).toBe('');
  });
});
