import { expect, it } from 'vitest';
import { Random } from '../../markdown/testing/random';
import type { Json } from '../../transcript/types';
import { isSystemShell, readingOf, withoutShown, withoutTarget, wordsIn } from './readingOf';

const read = (input: Json, kind = 'execute') =>
  readingOf({ kind, input, folder: '/home/ann/orchard', locations: [] });

it('reads a command line, and a list of words as a shell would', () => {
  expect(read({ command: 'npm test' }).commands).toEqual([{ line: 'npm test' }]);
  expect(read({ command: ['/evil/bash', '-lc', 'git status'] }).commands).toEqual([
    { line: 'git status', shell: '/evil/bash -lc', args: ['/evil/bash', '-lc', 'git status'] },
  ]);
  expect(read({ command: ['sudo', 'rm', '-rf', 'a b'] }).commands).toEqual([
    { line: "sudo rm -rf 'a b'", args: ['sudo', 'rm', '-rf', 'a b'] },
  ]);
  // Only shells run a script: other programs with -c are shown as they are.
  expect(read({ command: ['python3', '-c', 'import os'] }).commands?.[0]?.line).toBe(
    "python3 -c 'import os'",
  );
  expect(read({ command: ['ssh', 'root@prod', 'ls'] }).commands?.[0]?.line).toBe('ssh root@prod ls');
  expect(read({ command: 'rm', args: ['-rf', '~'] }).commands?.[0]?.line).toBe("rm -rf '~'");
});

it.each(['cmd', 'script'])('reads %s as a command, too', (name) => {
  expect(read({ [name]: 'rm x' }).commands).toEqual([{ line: 'rm x' }]);
});

it('shows every command where there are several', () => {
  expect(
    read({ command: 'ls', script: 'rm -rf ~', cmd: ['make'] }).commands?.map(({ line }) => line),
  ).toEqual(['ls', 'rm -rf ~', 'make']);
});

it('tells the folder, the variables and what raises rights', () => {
  expect(
    read({
      command: 'make',
      cwd: '/etc',
      env: { PATH: '/tmp' },
      dangerouslyDisableSandbox: true,
      with_escalated_permissions: true,
      sandbox_permissions: 'require_escalated',
    }),
  ).toMatchObject({
    folder: '/etc',
    outside: true,
    env: [{ name: 'PATH', value: '/tmp' }],
    raises: [
      { name: 'dangerouslyDisableSandbox', value: 'true' },
      { name: 'with_escalated_permissions', value: 'true' },
      { name: 'sandbox_permissions', value: 'require_escalated' },
    ],
  });
  expect(read({ command: 'make', cwd: '/home/ann/orchard' }).folder).toBeUndefined();
  expect(read({ command: 'make', cwd: '/home/ann/orchard/../x' }).outside).toBe(true);
  expect(read({ env: [{ name: 'A', value: 'b' }] }).env).toEqual([{ name: 'A', value: 'b' }]);
  expect(read({ env: ['A=b=c'] }).env).toEqual([{ name: 'A', value: 'b=c' }]);
});

it('tells where files are', () => {
  expect(read({ file_path: '/home/ann/orchard/.git/config' }, 'edit').files).toEqual([
    { path: '/home/ann/orchard/.git/config', write: true, outside: false, git: true },
  ]);
  expect(read({ path: '../x' }, 'read').files).toEqual([
    { path: '../x', write: false, outside: true, git: false },
  ]);
});

it('leaves out of the arguments only what is shown elsewhere in full', () => {
  const other = [
    { name: 'description', value: 'Says' },
    { name: 'reason', value: 'Hidden' },
    { name: 'new_string', value: 'b' },
    { name: 'content', value: 'rm' },
  ];
  expect(withoutShown(other, ['Says'], [{ type: 'diff', oldText: 'a', newText: 'b' }])).toEqual([
    { name: 'reason', value: 'Hidden' },
    { name: 'content', value: 'rm' },
  ]);
});

it.each(['bash -lc', '/bin/sh -c', '/usr/bin/zsh -lc', '/opt/homebrew/bin/fish -c'])('knows %s', (shell) => {
  expect(isSystemShell(shell)).toBe(true);
});
it.each([
  '/evil/bash -lc',
  './bash -c',
  'bash --rcfile x -c',
  'sudo bash -c',
  '/bin/../evil/sh -c',
  'bаsh -c',
])('does not take %s for a shell of the system', (shell) => {
  expect(isSystemShell(shell)).toBe(false);
});

it('hides nothing of an input, whatever form it has', () => {
  const random = new Random(7);
  const names = [
    ...['command', 'cmd', 'script', 'args', 'cwd', 'workdir', 'env', 'path', 'file_path', 'description'],
    ...['dangerouslyDisableSandbox', 'sandbox', 'x', 'reason', 'timeout', 'Command', 'ENV', 'input'],
  ];
  let n = 0;
  const leaf = () => `v${n++}v`;
  const value = (depth: number): Json => {
    const kind = random.next();
    if (kind < 0.5 || depth > 2) return leaf();
    if (kind < 0.75) return Array.from({ length: random.below(4) }, () => value(depth + 1));
    return Object.fromEntries(
      Array.from({ length: random.below(4) }, () => [random.pick(names), value(depth + 1)]),
    );
  };
  for (let i = 0; i < 3000; i++) {
    const input =
      random.next() < 0.9
        ? Object.fromEntries(names.filter(() => random.next() < 0.3).map((name) => [name, value(0)]))
        : value(0);
    const kind = random.pick(['execute', 'edit', 'other', 'read']);
    const shown =
      JSON.stringify(readingOf({ kind, input, folder: '/w', locations: [] })) + wordsIn(input).join();
    for (const [leafText] of JSON.stringify(input).matchAll(/v\d+v/g))
      expect(shown, JSON.stringify(input)).toContain(leafText);
  }
});

it('leaves out where a display is shown, and nothing else that has the name of that', () => {
  const isSpace = (id: string) => id === 's1';
  const other = [
    { name: 'targetSpaceId', value: 's1' },
    { name: 'targetSpaceId', value: 'rm -rf ~' },
    { name: 'title', value: 's1' },
  ];
  expect(withoutTarget(other, isSpace)).toEqual(other.slice(1));
});
