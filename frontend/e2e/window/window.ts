import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { binary } from '../support/binary';
import type { Weft } from '../support/weft';
import { Inspector } from './inspector';

/** The programs that are needed for a window without a screen, and are not here. */
export function missing(): string[] {
  return ['dbus-run-session', 'xvfb-run'].filter((tool) => spawnSync('which', [tool]).status !== 0);
}

/** The window of Weft, started on a screen of its own. */
export class Window {
  readonly inspector: Inspector;
  private readonly shell: ChildProcess;
  private readonly pid: number;
  private readonly gone: Promise<unknown>;

  private constructor(inspector: Inspector, shell: ChildProcess, pid: number, gone: Promise<unknown>) {
    this.inspector = inspector;
    this.shell = shell;
    this.pid = pid;
    this.gone = gone;
  }

  static async open(weft: Weft): Promise<Window> {
    const port = await freePort();
    const args = [binary(), '--data', weft.data, '--settings', weft.settings];
    const screen = [
      'xvfb-run',
      '-a',
      '-s',
      '-screen 0 1280x800x24',
      'sh',
      '-c',
      'echo $$ >&3; exec "$@"',
      'sh',
      ...args,
    ];
    const shell = spawn('dbus-run-session', ['--', ...screen], {
      cwd: weft.project,
      // A group of its own, so that the screen ends with it.
      detached: true,
      stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
      env: {
        ...weft.environment(),
        GDK_BACKEND: 'x11',
        NO_AT_BRIDGE: '1',
        XDG_RUNTIME_DIR: weft.folder,
        WEBKIT_INSPECTOR_HTTP_SERVER: `127.0.0.1:${port}`,
      },
    });
    const gone = once(shell, 'exit');
    const [line] = await once(createInterface({ input: shell.stdio[3] as Readable }), 'line');
    const inspector = await Inspector.connect(port);
    return new Window(inspector, shell, Number(line), gone);
  }

  /** Asks the window to close, as the session does when the user leaves. */
  async close(): Promise<void> {
    this.inspector.close();
    process.kill(this.pid, 'SIGTERM');
    await this.gone;
  }

  /** Ends what is left, whatever happened before. */
  async dispose(): Promise<void> {
    this.inspector.close();
    if (this.shell.exitCode !== null || this.shell.signalCode !== null) return;
    process.kill(-(this.shell.pid ?? 0), 'SIGKILL');
    await this.gone;
  }
}

async function freePort(): Promise<number> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
}
