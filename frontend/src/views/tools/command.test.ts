import { describe, expect, it } from 'vitest';
import table from '../../../../backend/permission/testdata/wrappers.json';
import type { Json } from '../../transcript/types';
import { firstLine, readCommand, readTitle, scriptOf, titleSays, unwrapped, wordsOf } from './command';

const command = (input: Json, kind = 'execute') => readCommand({ kind, input }).line;

it('finds the command line of a call', () => {
  expect(command({ command: 'go test ./...' })).toBe('go test ./...');
  expect(command({ command: 'ls', args: ['-l', 'my files'] })).toBe("ls -l 'my files'");
  expect(command({ command: ['bash', '-lc', 'make && echo "done"'] })).toBe('make && echo "done"');
  expect(command({ command: ['git', 'commit', '-m', "it's"] })).toBe("git commit -m 'it'\\''s'");
  expect(command({ commands: ['make', 'make test'] }, 'other')).toBe('make\nmake test');
  expect(command({ command: 'make', commands: ['make'] })).toBe('make');
  expect(command({ commands: [{ command: 'make' }] })).toBe('');
  expect(command({ path: 'a' })).toBe('');
  expect(command('ls')).toBe('');
});

it('reads a program that only looks like a shell as a program', () => {
  expect(command({ command: ['python3', '-c', 'print(1)'] })).toBe("python3 -c 'print(1)'");
  expect(command({ command: ['./bash', '-c', 'make'] })).toBe('./bash -c make');
  expect(command({ command: ['bash', '-c', 'echo $1', 'x', 'y'] })).toBe("bash -c 'echo $1' x y");
});

it('keeps what was sent where something was around the command', () => {
  expect(readCommand({ kind: 'execute', input: { command: ['bash', '-lc', 'ls -l'] } })).toEqual({
    line: 'ls -l',
    sent: "bash -lc 'ls -l'",
  });
  expect(readCommand({ kind: 'execute', input: { command: "/bin/zsh -lc 'ls -l'" } })).toEqual({
    line: 'ls -l',
    sent: "/bin/zsh -lc 'ls -l'",
  });
  expect(readCommand({ kind: 'execute', input: { command: 'bash', args: ['-lc', 'ls -l'] } })).toEqual({
    line: 'ls -l',
    sent: "bash -lc 'ls -l'",
  });
  expect(readCommand({ kind: 'execute', input: ['sh', '-c', 'ls -l'] })).toEqual({
    line: 'ls -l',
    sent: "sh -c 'ls -l'",
  });
  expect(readCommand({ kind: 'execute', input: { cmd: 'ls -l' } })).toEqual({ line: 'ls -l', sent: '' });
});

describe('the shell around a command', () => {
  for (const { line, words, script } of table as {
    line?: string;
    words?: string[];
    script: string | null;
  }[]) {
    it(`is ${script === null ? 'kept in' : 'taken off'} ${line ?? JSON.stringify(words)}`, () => {
      if (line === undefined) expect(scriptOf(words ?? [])).toBe(script);
      else expect(unwrapped(line)).toBe(script ?? line.trim());
    });
  }

  it('is looked through where it is in another one', () => {
    expect(unwrapped(`bash -lc "sh -c 'make test'"`)).toBe('make test');
  });

  it('is kept in a line that is too long to be taken apart', () => {
    const line = `bash -c '${'x'.repeat(70_000)}'`;
    expect(unwrapped(line)).toBe(line);
  });
});

it('splits words as every shell does', () => {
  expect(wordsOf(`a "b c" 'd "e"' f\\ g "h\\"i" "j\\k" ""`)).toEqual([
    'a',
    'b c',
    'd "e"',
    'f g',
    'h"i',
    'j\\k',
    '',
  ]);
  for (const line of [
    'a $b',
    'a "$b"',
    'a `b`',
    'a; b',
    'a | b',
    'a *',
    "a 'b",
    'a "b',
    'x=1 a',
    'a\nb',
    'a \\',
  ])
    expect(wordsOf(line), line).toBeNull();
});

describe('a title', () => {
  const title = (text: string, kind = 'execute') => readTitle({ kind, title: text });

  it('is the command that runs', () => {
    expect(title('`ls -la`')).toEqual({ line: 'ls -la', sent: '' });
    expect(title("bash -lc 'ls -la'")).toEqual({ line: 'ls -la', sent: "bash -lc 'ls -la'" });
    expect(title("`bash -lc 'ls -la'`")).toEqual({ line: 'ls -la', sent: "bash -lc 'ls -la'" });
    expect(title('Print slowly')).toEqual({ line: 'Print slowly', sent: '' });
    expect(title("bash -lc 'ls -la'", 'read').line).toBe("bash -lc 'ls -la'");
    expect(title("bash -lc 'ls …").line).toBe("bash -lc 'ls …");
  });

  it('says a command only if it says nothing else', () => {
    const says = (text: string, wanted: string) =>
      titleSays({ kind: 'execute', title: text, titleRef: undefined }, wanted);
    expect(says('make test', 'make test')).toBe(true);
    expect(says("bash -lc 'make test'", 'make test')).toBe(true);
    expect(says('`make test`', 'make test')).toBe(true);
    expect(says('Run `make test`', 'make test')).toBe(true);
    expect(says('Shell: make test', 'make test')).toBe(true);
    expect(says('bash: make test', 'make test')).toBe(true);
    expect(says('echo hi; make test', 'make test')).toBe(false);
    expect(says('remake test', 'make test')).toBe(false);
    expect(says('make test', 'make')).toBe(false);
    expect(says('make', 'make test')).toBe(false);
    expect(says('Run the tests', 'make test')).toBe(false);
    expect(says('a b', 'a\nb')).toBe(false);
    expect(says('x'.repeat(400), 'x'.repeat(400))).toBe(false);
    expect(says('', '')).toBe(false);
  });

  it('has the first line of a script', () => {
    expect(firstLine('cd a\nmake')).toBe('cd a …');
    expect(firstLine('make\n')).toBe('make');
  });
});
