import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Weft } from './weft';

const run = promisify(execFile);

/** The lines of rows.txt, some of them changed. */
export const lines = (change: Record<number, string> = {}) =>
  `${Array.from({ length: 30 }, (_, i) => change[i + 1] ?? `line ${i + 1}`).join('\n')}\n`;

export async function git(weft: Weft, ...args: string[]): Promise<string> {
  const { stdout } = await run('git', args, { cwd: weft.project, env: weft.environment() });
  return stdout;
}

/** A repository with one commit, in which the user has staged one file and edited a line of another. */
export async function repository(weft: Weft): Promise<void> {
  await writeFile(join(weft.project, 'rows.txt'), lines());
  await writeFile(join(weft.project, 'mine.txt'), 'mine\n');
  await git(weft, 'init', '--quiet', '--initial-branch', 'main');
  await git(weft, 'config', 'user.name', 'Ada');
  await git(weft, 'config', 'user.email', 'ada@example.org');
  await git(weft, 'add', '--all');
  await git(weft, 'commit', '--quiet', '--message', 'Begin');
  await writeFile(join(weft.project, 'mine.txt'), 'mine, staged\n');
  await git(weft, 'add', 'mine.txt');
  await writeFile(join(weft.project, 'rows.txt'), lines({ 28: 'edited by the user' }));
}

/** What an agent changes in rows.txt. */
export const agents = { 3: 'first change', 12: 'second change', 20: 'third change' };
