import { describe, expect, it } from 'vitest';
import { joinWords, parseEnv, printEnv, splitWords } from './commandLine';

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

describe('the environment', () => {
  it('is NAME=value, one a line', () => {
    expect(parseEnv('A=1\n\nB_2=x=y \n')).toEqual({ env: { A: '1', B_2: 'x=y ' }, wrong: null });
    expect(parseEnv('A=1\nnonsense').wrong).toBe('nonsense');
    expect(printEnv({ A: '1', B: '' })).toBe('A=1\nB=');
  });
});
