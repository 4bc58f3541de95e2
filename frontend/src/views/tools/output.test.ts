import { expect, it } from 'vitest';
import {
  isDescription,
  outputText,
  printed,
  readLines,
  sameWords,
  unfenced,
  unwrappedResult,
  withoutEcho,
} from './output';

it('finds what a command has printed', () => {
  expect(printed('a\n')).toBe('a\n');
  expect(printed({ output: 'a\n', metadata: { exit: 3 } })).toBe('a\n');
  expect(printed({ content: 'a', detailedContent: 'b' })).toBe('a');
  expect(printed({ stdout: 'a', stderr: 'b', aggregated_output: 'ab', exit_code: 0 })).toBe('ab');
  expect(printed({ exitCode: 0, stdout: 'a', stderr: 'b' })).toBe('a\nb');
  expect(printed({ exitCode: 0, stdout: '', stderr: 'b' })).toBe('b');
  expect(printed({ exitCode: 0, stdout: '', stderr: '' })).toBe('');
  expect(printed([{ query: 'make', result: 'a', success: true }])).toBe('a\n');
  expect(
    printed([
      { query: 'make', result: 'a' },
      { query: 'ls', result: 'b\n' },
    ]),
  ).toBe('$ make\na\n$ ls\nb\n');
});

it('leaves results of another form as they are', () => {
  expect(printed({ result: { content: [] }, error: null })).toBeNull();
  expect(printed([1, 2])).toBeNull();
  expect(printed([])).toBeNull();
  expect(outputText({ kind: 'execute', output: { rows: 1 } })).toBe('{\n  "rows": 1\n}');
  expect(outputText({ kind: 'other', output: { output: 'a' } })).toBe('{\n  "output": "a"\n}');
  expect(outputText({ kind: 'read', output: { output: 'a' } })).toBe('a');
  expect(outputText({ kind: 'execute', output: undefined })).toBe('');
});

it('leaves out what is around an output', () => {
  const make = { line: 'make', sent: "bash -lc 'make'" };
  expect(withoutEcho('```console\na\nb\n```', make)).toBe('a\nb');
  expect(withoutEcho('```\na\n```\n', make)).toBe('a');
  expect(withoutEcho('$ make\na', make)).toBe('a');
  expect(withoutEcho("$ bash -lc 'make'\r\na", make)).toBe('a');
  expect(withoutEcho('Command: make\nDirectory: (root)\nOutput: a', make)).toBe(
    'Directory: (root)\nOutput: a',
  );
  expect(withoutEcho('$ make', make)).toBe('');
  // Nothing else is removed.
  expect(withoutEcho('$ make test\na', make)).toBe('$ make test\na');
  expect(withoutEcho('make\na', make)).toBe('make\na');
  expect(withoutEcho('```diff\na\n```', make)).toBe('```diff\na\n```');
  expect(withoutEcho('a\n```\nb\n```', make)).toBe('a\n```\nb\n```');
  expect(withoutEcho('$ \na', { line: '', sent: '' })).toBe('$ \na');
});

it('knows the words about a command from its output', () => {
  const call = { kind: 'execute', input: { command: 'grep x', description: 'Search' } };
  expect(isDescription(call, { type: 'text', text: 'Search' })).toBe(true);
  expect(isDescription(call, { type: 'text', text: 'Search\n' })).toBe(false);
  expect(isDescription({ ...call, kind: 'read' }, { type: 'text', text: 'Search' })).toBe(false);
  expect(isDescription({ ...call, input: { description: '' } }, { type: 'text', text: '' })).toBe(false);
  expect(isDescription({ kind: 'execute', input: undefined }, { type: 'text', text: 'Search' })).toBe(false);
});

it.each([
  ['```\na\nb\n```', 'a\nb'],
  ['```ts\na\n```\n', 'a'],
  ['~~~\na\n~~~', 'a'],
  ['````\n```js\nx\n```\n````', '```js\nx\n```'],
  // A fence with a language inside is a nested block.
  ['```\n# A\n```sh\nnpm test\n```\nend\n```', '# A\n```sh\nnpm test\n```\nend'],
  ['```\n```\n', ''],
  // Several blocks are kept.
  ['```\na\n```\nand\n```\nb\n```', '```\na\n```\nand\n```\nb\n```'],
  ['```\na', '```\na'],
  ['a\n```\nb\n```', 'a\n```\nb\n```'],
  ['``` a ``` b', '``` a ``` b'],
])('one outer fence goes: %j', (text, want) => expect(unfenced(text)).toBe(want));

it('a text of which only the start is there loses the fence that it begins with', () => {
  expect(unfenced('```\na\nb', false)).toBe('a\nb');
});

it.each([
  ['```\n<tool_use_error>No such file</tool_use_error>\n```', 'No such file'],
  ['<tool_use_error>\nNo such file\nat all\n</tool_use_error>', 'No such file\nat all'],
  ['<error>broken</error>', 'broken'],
  [
    '<path>/p/a.ts</path>\n<type>file</type>\n<content>\n1: a\n2: b\n\n(End of file - total 2 lines)\n</content>',
    '1: a\n2: b',
  ],
  ['a\n<system-reminder>\nBe good.\n</system-reminder>\n', 'a'],
  ['<system-reminder>x</system-reminder>\n```\na\n```', 'a'],
  ['a <system-reminder> b', 'a <system-reminder> b'],
  ['see <tool_use_error>x</tool_use_error>', 'see <tool_use_error>x</tool_use_error>'],
])('what an agent puts around a result for its model goes: %j', (text, want) =>
  expect(unwrappedResult(text)).toBe(want),
);

it.each([
  ['1\ta\n2\t\n3\tb', ['a', '', 'b'], 1],
  ['     9→a\n    10→b\n', ['a', 'b'], 9],
  ['7: a\n8:   b\n9:', ['a', '  b', ''], 7],
  ['1 | a\n2 | b', ['a', 'b'], 1],
  ['L7: a\nL8: b', ['a', 'b'], 7],
  [' 9│a\n10│b', ['a', 'b'], 9],
  ['\n     1→a\n     2→b\n\n', ['a', 'b'], 1],
  ['\na\n\n', ['', 'a', ''], undefined],
  ['1\ta', ['a'], 1],
  ['1: a', ['1: a'], undefined],
  ['1\ta\n3\tb', ['1\ta', '3\tb'], undefined],
  ['a\nb\n', ['a', 'b'], undefined],
])('the numbers of lines are apart from them: %j', (text, lines, from) =>
  expect(readLines(text)).toEqual(from === undefined ? { lines } : { lines, from }),
);

it('knows an error by its words', () => {
  expect(sameWords('No\n such file', 'No such file')).toBe(true);
  expect(sameWords('No such file at all', 'No such…')).toBe(true);
  expect(sameWords('No such file at all', 'No such file')).toBe(false);
  expect(sameWords('', '')).toBe(false);
});
