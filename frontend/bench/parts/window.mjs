/** A real window on a screen of its own, without a user in front of it. */
import { execFileSync, spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { inspect } from './inspector.mjs';

/** What a machine needs for it, and does not have; empty if there is nothing missing. */
export function missing() {
  return ['dbus-run-session', 'xvfb-run'].filter((tool) => {
    try {
      execFileSync('which', [tool], { stdio: 'ignore' });
      return false;
    } catch {
      return true;
    }
  });
}

/**
 * Starts a program in a screen of its own. Answers when it began (ms since 1970), its page through the inspector,
 * the id of its web process, and how to end all of it.
 */
export async function openWindow(program, args) {
  const port = await freePort();
  const child = spawn(
    'dbus-run-session',
    [
      '--',
      'xvfb-run',
      '-a',
      '-s',
      '-screen 0 1400x900x24',
      'sh',
      '-c',
      'date +%s%N >&3; exec "$0" "$@"',
      program,
      ...args,
    ],
    {
      detached: true,
      stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
      env: { ...process.env, WEBKIT_INSPECTOR_HTTP_SERVER: `127.0.0.1:${port}`, GDK_BACKEND: 'x11' },
    },
  );
  const endToo = () => end(child.pid);
  process.on('exit', endToo);
  let ended = false;
  const over = new Promise((done) =>
    child.on('exit', () => {
      ended = true;
      done();
    }),
  );
  // The screen is there before the program is: its start is not the program's.
  const began = new Promise((resolve) => child.stdio[3].once('data', (data) => resolve(Number(data) / 1e6)));
  const page = await inspect(port, () => !ended);
  const stop = async () => {
    page.close();
    end(child.pid);
    await over;
    process.off('exit', endToo);
  };
  return { began: await began, page, pid: child.pid, webProcess: () => webProcessOf(child.pid), stop };
}

/** Ends a process and what it has started. */
function end(pid) {
  try {
    process.kill(-pid, 'SIGTERM');
  } catch {
    // It has ended by itself.
  }
}

/** The process that runs the page of a window. */
function webProcessOf(root) {
  const parents = new Map();
  const names = new Map();
  for (const entry of readdirSync('/proc')) {
    if (!/^\d+$/.test(entry)) continue;
    try {
      const stat = readFileSync(`/proc/${entry}/stat`, 'utf8');
      const name = stat.slice(stat.indexOf('(') + 1, stat.lastIndexOf(')'));
      names.set(Number(entry), name);
      parents.set(Number(entry), Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]));
    } catch {
      // It has ended in between.
    }
  }
  for (const [pid, name] of names) {
    if (!name.startsWith('WebKitWebProces')) continue;
    for (let at = pid; at !== undefined && at > 1; at = parents.get(at)) if (at === root) return pid;
  }
  throw new Error('the window has no web process');
}

function freePort() {
  return new Promise((resolve) => {
    const server = createServer();
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

/** Sends a prompt and waits until its run is over. */
export async function prompted(page, spaceId, text) {
  await invoke(page, 'SendPrompt', { spaceId, text });
  const over = (list) => JSON.parse(list).every(({ state }) => state !== 'running');
  while (!over(await invoke(page, 'ListSpaces', {})))
    await new Promise((resolve) => setTimeout(resolve, 250));
}

/** Calls a command as the page does. */
export async function invoke(page, method, request) {
  const call = JSON.stringify([method, JSON.stringify(request)]);
  await page.evaluate(
    `window.__answer = undefined; window.go.main.App.Invoke(...${call}).then((a) => { window.__answer = [a]; }, (e) => { window.__answer = [String(e), true]; }); 0`,
  );
  const [answer, failed] = await page.until('window.__answer');
  if (failed) throw new Error(`${method}: ${answer}`);
  return answer;
}
