import { describe, expect, test } from 'vitest';
import { isKnownLanguage, loadMode } from './languages';
import { LineHighlighter } from './lineHighlighter';

async function colour(language: string, lines: readonly string[]): Promise<string[]> {
  const mode = await loadMode(language);
  if (mode === undefined) throw new Error(`no tokenizer for ${language}`);
  const highlighter = new LineHighlighter(mode);
  return lines.map((line) => {
    let out = '';
    highlighter.line(line, (text, kind) => {
      out += kind === undefined ? text : `<${kind}:${text}>`;
    });
    return out;
  });
}

describe('colours', () => {
  test('keywords, strings and comments over several lines', async () => {
    expect(await colour('ts', ['const a = `x', '', 'y`; /* one', 'two */ return'])).toEqual([
      '<keyword:const> <definition:a> = <string:`x>',
      '',
      '<string:y`>; <comment:/* one>',
      '<comment:two */> <keyword:return>',
    ]);
  });

  test.each([
    'go',
    'python',
    'rust',
    'bash',
    'json',
    'yaml',
    'html',
    'css',
    'sql',
    'diff',
    'toml',
    'java',
    'dockerfile',
  ])('%s loses no text on any input', async (language) => {
    const lines = [
      '{"a": [1, "b"]}',
      'def f(x): # y',
      '<a href="x">',
      "'unclosed",
      '/* open',
      '$(( `',
      '',
      '\t\u202e😀\ud800',
      'x'.repeat(5000),
    ];
    const plain = (await colour(language, lines)).map((line) =>
      line.replace(/<\w+:/g, '').replaceAll('>', ''),
    );
    expect(plain).toEqual(lines.map((line) => line.replace(/<\w+:/g, '').replaceAll('>', '')));
  });

  test('names that objects inherit are not languages', async () => {
    expect(isKnownLanguage('constructor')).toBe(false);
    expect(await loadMode('__proto__')).toBeUndefined();
  });
});
