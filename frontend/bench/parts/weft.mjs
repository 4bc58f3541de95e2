/** Weft itself, the built program, with a data folder of its own and the bench's agent as its default. */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { weftPath } from './row.mjs';

const AGENT = fileURLToPath(new URL('../agents/agent.mjs', import.meta.url));

/** A folder that goes when the program ends. */
export function folder() {
  const path = mkdtempSync(join(tmpdir(), 'weft-bench-'));
  process.on('exit', () => rmSync(path, { recursive: true, force: true }));
  return path;
}

/** Flags for Weft: its data in a folder, and settings with the agent. */
export function flags(data) {
  const settings = join(data, 'settings.json');
  const agent = { id: 'bench', name: 'Bench', command: process.execPath, args: [AGENT] };
  writeFileSync(settings, JSON.stringify({ agents: [agent], defaultAgent: 'bench' }));
  return ['--data', data, '--settings', settings];
}

/** Starts `weft serve`. Answers its link for a browser, and how to call commands and to stop it. `said` is given the lines of its standard error. */
export async function serve(data = folder(), said = undefined) {
  const child = spawn(resolve(weftPath), ['serve', ...flags(data)], {
    stdio: ['ignore', 'pipe', said === undefined ? 'inherit' : 'pipe'],
  });
  if (said !== undefined) createInterface({ input: child.stderr }).on('line', said);
  process.on('exit', () => child.kill('SIGTERM'));
  const ended = new Promise((done) => child.on('exit', done));
  let link = '';
  let key = '';
  for await (const line of createInterface({ input: child.stdout })) {
    link ||= /http:\S+#token=\S+/.exec(line)?.[0] ?? '';
    key ||= /Bearer (\S+)/.exec(line)?.[1] ?? '';
    if (key !== '') break;
  }
  if (key === '') throw new Error('weft serve has printed no address');
  const base = new URL(link).origin;
  const call = async (method, request = {}) => {
    const response = await fetch(`${base}/api/${method}`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${key}` },
      body: JSON.stringify(request),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method}: ${text}`);
    return text === '' ? undefined : JSON.parse(text);
  };
  const stop = async () => {
    child.kill('SIGTERM');
    await ended;
  };
  return { link, base, key, data, work: folder(), pid: child.pid, call, stop };
}

/** A space with the bench's agent, in an empty folder: what Weft writes itself is no change of an agent's. */
export async function space(weft, title) {
  const { id } = await weft.call('CreateSpace', { agentId: 'bench', folder: weft.work, title });
  return id;
}

/** Sends a prompt and waits until its run is over; `see` is shown what happens meanwhile. */
export async function prompt(weft, spaceId, text, see = () => {}) {
  const events = await listen(weft, spaceId);
  await weft.call('SendPrompt', { spaceId, text });
  for await (const event of events) {
    see(event);
    if (event.type === 'run_completed') return;
  }
  throw new Error('the events ended before the run');
}

async function listen(weft, spaceId) {
  const headers = { Authorization: `Bearer ${weft.key}` };
  const abort = new AbortController();
  const response = await fetch(`${weft.base}/api/spaces/${spaceId}/events`, {
    headers,
    signal: abort.signal,
  });
  return (async function* () {
    let rest = '';
    try {
      for await (const bytes of response.body.pipeThrough(new TextDecoderStream())) {
        const lines = (rest + bytes).split('\n');
        rest = lines.pop();
        for (const line of lines) if (line.startsWith('data: {')) yield JSON.parse(line.slice(6));
      }
    } finally {
      abort.abort();
    }
  })();
}
