import { expect, it } from 'vitest';
import { bare, isDescription, outputText, printed } from './output';

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
  expect(outputText({ kind: 'read', output: { output: 'a' } })).toBe('{\n  "output": "a"\n}');
  expect(outputText({ kind: 'execute', output: undefined })).toBe('');
});

it('leaves out what is around an output', () => {
  const make = { line: 'make', sent: "bash -lc 'make'" };
  expect(bare('```console\na\nb\n```', make)).toBe('a\nb');
  expect(bare('```\na\n```\n', make)).toBe('a');
  expect(bare('$ make\na', make)).toBe('a');
  expect(bare("$ bash -lc 'make'\r\na", make)).toBe('a');
  expect(bare('Command: make\nDirectory: (root)\nOutput: a', make)).toBe('Directory: (root)\nOutput: a');
  expect(bare('$ make', make)).toBe('');
  // Nothing else goes.
  expect(bare('$ make test\na', make)).toBe('$ make test\na');
  expect(bare('make\na', make)).toBe('make\na');
  expect(bare('```diff\na\n```', make)).toBe('```diff\na\n```');
  expect(bare('a\n```\nb\n```', make)).toBe('a\n```\nb\n```');
  expect(bare('$ \na', { line: '', sent: '' })).toBe('$ \na');
});

it('knows the words about a command from its output', () => {
  const call = { kind: 'execute', input: { command: 'grep x', description: 'Search' } };
  expect(isDescription(call, { type: 'text', text: 'Search' })).toBe(true);
  expect(isDescription(call, { type: 'text', text: 'Search\n' })).toBe(false);
  expect(isDescription({ ...call, kind: 'read' }, { type: 'text', text: 'Search' })).toBe(false);
  expect(isDescription({ ...call, input: { description: '' } }, { type: 'text', text: '' })).toBe(false);
  expect(isDescription({ kind: 'execute', input: undefined }, { type: 'text', text: 'Search' })).toBe(false);
});
