import { describe, expect, it } from 'vitest';
import { Random } from '../../markdown/testing/random';
import { fromLine, overwritten, withoutTail } from './tail';

describe('the end of a text', () => {
  it('is cut', () => {
    expect(withoutTail('a//b///', '/')).toBe('a//b');
    expect(withoutTail('///', '/')).toBe('');
    expect(withoutTail('a', '/')).toBe('a');
  });

  it('is found also in a run that does not reach it', () => {
    // An expression would take a minute for this.
    expect(overwritten(`${'\r'.repeat(500_000)}x`)).toBe('x');
    expect(overwritten(`a${'\r'.repeat(500_000)}`)).toBe('a');
  });

  it('reads as the expressions do that say what is meant', () => {
    const random = new Random(13);
    for (let i = 0; i < 2000; i++) {
      let text = '';
      for (let k = random.below(12); k > 0; k--) text += random.pick(['\r', '\n', 'a', 'b', '\r\n']);
      const want = text
        .replace(/\r+\n/g, '\n')
        .split('\n')
        .map((line) => line.slice(line.replace(/\r+$/, '').lastIndexOf('\r') + 1).replace(/\r+$/, ''))
        .join('\n');
      expect(overwritten(text), JSON.stringify(text)).toBe(want);
    }
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
