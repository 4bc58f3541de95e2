/** Memory and wake-ups of `weft serve` with nothing to do. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { quick, round, row, sum } from './parts/row.mjs';
import { prompt, serve } from './parts/weft.mjs';

const SPACES = 20;
/** Weft gives memory back after 30 s without anything to do, and again after what it still did by itself in that time. */
const UNTIL_REST = 75_000;
const within = quick ? 18 : 63; // seconds

process.env.SHELL = '/bin/false'; // no start-up file of a shell is looked at for agents
const weft = await serve();
try {
  const folder = join(weft.work, 'project');
  mkdirSync(folder);
  for (let i = 0; i < 200; i++)
    writeFileSync(join(folder, `file${i}.txt`), `line ${i} of a file of the project\n`.repeat(120));
  for (let i = 0; i < SPACES; i++) {
    const { id } = await weft.call('CreateSpace', { folder, agentId: 'guide' });
    await prompt(weft, id, 'What can you do?');
  }
  await pause(5000);
  const before = status('VmRSS') / 1024;
  await pause(UNTIL_REST);
  const begin = switches();
  await pause(within * 1000);
  const wakes = (switches() - begin) / within;
  const memory = status('VmRSS') / 1024;
  row(
    `\`weft serve\` with ${SPACES} idle spaces: resident memory; of it not pages of files; wake-ups a second`,
    `${round(memory, 0)} MB (${round(before, 0)} MB before it rested); ${round(status('RssAnon') / 1024, 0)} MB; ${round(wakes, 2)}`,
    '≤ 60 MB; ; ≤ 1',
    memory <= 60 && wakes <= 1,
  );
} finally {
  await weft.stop();
}

/** A number of the process, or of a thread. */
function status(field, thread = weft.pid) {
  const text = readFileSync(`/proc/${weft.pid}/task/${thread}/status`, 'utf8');
  return Number(new RegExp(`^${field}:\\s+(\\d+)`, 'm').exec(text)?.[1] ?? Number.NaN);
}

/** How often the threads have stopped running: each wake-up ends with that. */
function switches() {
  const of = (thread) =>
    status('voluntary_ctxt_switches', thread) + status('nonvoluntary_ctxt_switches', thread);
  return sum(readdirSync(`/proc/${weft.pid}/task`).map(of));
}
