import { describe, expect, it } from 'vitest';
import { joinWords, splitWords } from './commandLine';

describe('arguments as they are typed', () => {
  it('are split at spaces outside of quotes', () => {
    expect(splitWords('--acp  --dir "my files" it\'s\\ ok\'')).toEqual([
      '--acp',
      '--dir',
      'my files',
      'its\\ ok',
    ]);
    expect(splitWords('a\\ b ""')).toEqual(['a b', '']);
  });

  it('come back as they were', () => {
    const words = ['--acp', 'two words', '', 'a"b', "it's", 'back\\slash', 'C:\\x y'];
    expect(splitWords(joinWords(words))).toEqual(words);
  });
});
