import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { expect } from '@playwright/test';
import { binary } from '../support/binary';
import type { Keyboard } from '../support/walk';
import type { Weft } from '../support/weft';
import { Inspector } from './inspector';
import { colorsIn } from './picture';

/** The programs that are needed for a window without a screen, and are not here. */
export function missing(...more: string[]): string[] {
  return ['dbus-run-session', 'xvfb-run', ...more].filter((tool) => spawnSync('which', [tool]).status !== 0);
}

/** The window of Weft, started on a screen of its own. */
export class Window {
  inspector: Inspector;
  /** The process of Weft. It is the same after a restart. */
  readonly pid: number;
  private readonly port: number;
  private readonly log: string;
  /** The file that the screen draws into. */
  private readonly picture: string;
  private readonly shell: ChildProcess;
  private readonly gone: Promise<unknown>;
  /** The last of what it wrote to stderr. */
  private readonly said: () => string;
  private readonly screen: { DISPLAY: string; XAUTHORITY: string };

  private constructor(
    inspector: Inspector,
    port: number,
    log: string,
    picture: string,
    shell: ChildProcess,
    begun: string,
    gone: Promise<unknown>,
    said: () => string,
  ) {
    const [pid = '', DISPLAY = '', XAUTHORITY = ''] = begun.split(' ');
    this.inspector = inspector;
    this.port = port;
    this.log = log;
    this.picture = picture;
    this.shell = shell;
    this.pid = Number(pid);
    this.screen = { DISPLAY, XAUTHORITY };
    this.gone = gone;
    this.said = said;
  }

  /** Opens it on a session bus of its own, or on the one that the environment names. */
  static open(weft: Weft, environment: Record<string, string> = {}, ...flags: string[]): Promise<Window> {
    return Window.openOn('1280x800', weft, environment, ...flags);
  }

  /** The same, on a screen of another size, in pixels. */
  static async openOn(
    size: string,
    weft: Weft,
    environment: Record<string, string> = {},
    ...flags: string[]
  ): Promise<Window> {
    const port = await quietPort();
    const args = [
      weft.program === '' ? binary() : weft.program,
      '--data',
      weft.data,
      '--settings',
      weft.settings,
      ...flags,
    ];
    const screen = [
      'xvfb-run',
      '-a',
      '-s',
      `-screen 0 ${size}x24 -fbdir ${weft.folder}`,
      'sh',
      '-c',
      'echo "$$ $DISPLAY $XAUTHORITY" >&3; exec "$@"',
      'sh',
      ...args,
    ];
    const [program = '', ...words] =
      environment['DBUS_SESSION_BUS_ADDRESS'] === undefined ? ['dbus-run-session', '--', ...screen] : screen;
    const shell = spawn(program, words, {
      cwd: weft.project,
      // A group of its own, so that the screen ends with it.
      detached: true,
      stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
      env: {
        ...weft.environment(),
        ...environment,
        GDK_BACKEND: 'x11',
        NO_AT_BRIDGE: '1',
        XDG_RUNTIME_DIR: weft.folder,
        WEBKIT_INSPECTOR_HTTP_SERVER: `127.0.0.1:${port}`,
      },
    });
    let said = '';
    shell.stderr?.setEncoding('utf8').on('data', (text: string) => {
      said = (said + text).slice(-4000);
    });
    const gone = once(shell, 'exit');
    try {
      const first = once(createInterface({ input: shell.stdio[3] as Readable }), 'line');
      const line = await Promise.race([first, gone.then(() => undefined)]);
      if (line === undefined) throw new Error('it ended before there was a window');
      const log = join(weft.data, 'logs/weft.log');
      const picture = join(weft.folder, 'Xvfb_screen0');
      const begun = String(line[0]);
      return new Window(await Inspector.connect(port), port, log, picture, shell, begun, gone, () => said);
    } catch (err) {
      if (shell.exitCode === null && shell.signalCode === null) process.kill(-(shell.pid ?? 0), 'SIGKILL');
      throw new Error(`The window of Weft did not open. It said:\n${said}`, { cause: err });
    }
  }

  /** Gives keys to a dialog of the system, once it is there: it is no part of the page. */
  dialog(title: string, ...actions: string[][]): void {
    for (const action of actions) this.give(title, action);
  }

  /** Waits until a dialog of the system is on the screen. */
  async showsDialog(title: string): Promise<void> {
    await expect.poll(() => this.xdotool(...shown(title)), `the dialog “${title}”`).not.toBe('');
  }

  /** How often Weft has started with its data. */
  async starts(): Promise<number> {
    const text = await readFile(this.log, 'utf8').catch(() => '');
    return text.split('"message":"started"').length - 1;
  }

  /** Waits until Weft has started so many times, and takes over the page of the last start. */
  async restarted(starts: number): Promise<void> {
    await expect.poll(() => this.starts()).toBe(starts);
    this.inspector.close();
    this.inspector = await Inspector.connect(this.port);
  }

  /** How many colors are on its screen. What has letters has hundreds of them. */
  async colors(): Promise<number> {
    return colorsIn(await readFile(this.picture));
  }

  /** Whether the window is on the screen. */
  visible(): boolean {
    return this.xdotool(...shown(itself)) !== '';
  }

  /** Where the window is on its screen, and how large, in pixels. */
  place(): { x: number; y: number; width: number; height: number } {
    const said = this.xdotool(...shown(itself), 'getwindowgeometry', '--shell');
    const of = (name: string) => Number(new RegExp(`^${name}=(-?\\d+)$`, 'm').exec(said)?.[1]);
    return { x: of('X'), y: of('Y'), width: of('WIDTH'), height: of('HEIGHT') };
  }

  /** Moves it and makes it larger or smaller, as the user does with the mouse. */
  putAt({ x, y, width, height }: { x: number; y: number; width: number; height: number }): void {
    const to = ['windowmove', '%1', x, y, 'windowsize', '%1', width, height].map(String);
    this.xdotool(...shown(itself), ...to);
  }

  /** The keyboard of its screen. The inspector has one, too, with which Tab leads nowhere. */
  readonly keyboard: Keyboard = {
    press: async (key) => this.give(itself, ['key', '--clearmodifiers', keysym(key)]),
    type: async (text) => this.give(itself, ['type', '--clearmodifiers', text]),
  };

  /** Puts the pointer somewhere on the screen, where it rests. */
  point(x: number, y: number): void {
    this.xdotool('mousemove', String(x), String(y));
  }

  /** Gives the screen the keyboard of another country. */
  layout(country: string): void {
    const { status, stderr } = spawnSync('setxkbmap', [country], {
      env: { ...process.env, ...this.screen },
      encoding: 'utf8',
    });
    if (status !== 0) throw new Error(`There is no keyboard “${country}”: ${stderr}`);
  }

  /** Gives keys to the window with this title, once it is there. */
  private give(title: string, action: string[]): void {
    // When a key hides the window, the screen may lose its release, and takes no further press of what it believes to be down.
    const release = action[0] === 'key' ? ['keyup', action.at(-1) ?? ''] : [];
    const { status, stderr } = spawnSync(
      'xdotool',
      [...shown(title, '--sync'), 'windowfocus', ...release, ...action],
      {
        env: { ...process.env, ...this.screen },
        encoding: 'utf8',
        timeout: 60_000,
      },
    );
    if (status !== 0) throw new Error(`“${title}” got no ${action.join(' ')}: ${stderr}`);
  }

  /** Closes the window with the message that its button sends: nothing draws that button on this screen. */
  async pressClose(): Promise<void> {
    // It may be gone before it answers.
    await this.inspector.page.evaluate("window.WailsInvoke('Q')").catch(() => undefined);
  }

  private xdotool(...args: string[]): string {
    return spawnSync('xdotool', args, {
      env: { ...process.env, ...this.screen },
      encoding: 'utf8',
    }).stdout.trim();
  }

  /** Waits until the program has ended, with this exit code. */
  async ended(code = 0): Promise<void> {
    this.inspector.close();
    await expect.poll(() => this.over(), 'the program has ended').toBe(true);
    expect(this.shell.exitCode, this.said()).toBe(code);
  }

  private over(): boolean {
    return this.shell.exitCode !== null || this.shell.signalCode !== null;
  }

  /** Asks the window to close, as the session does when the user leaves. */
  async close(code = 0): Promise<void> {
    process.kill(this.pid, 'SIGTERM');
    await this.ended(code);
  }

  /** Ends what is left, whatever happened before. */
  async dispose(): Promise<void> {
    this.inspector.close();
    if (this.over()) return;
    process.kill(-(this.shell.pid ?? 0), 'SIGKILL');
    await this.gone;
  }
}

/** The title of Weft's own window: it names the space that is open. */
const itself = '(.* )?Weft';

/** What has xdotool find the windows with this title, a pattern, that are on the screen. */
const shown = (title: string, ...how: string[]) => [
  'search',
  ...how,
  '--onlyvisible',
  '--name',
  `^${title}$`,
];

/** A key as the screen calls it. */
function keysym(key: string): string {
  const names: Record<string, string> = {
    ...{ Control: 'ctrl', Shift: 'shift', Alt: 'alt', Enter: 'Return', Space: 'space' },
    ...{ ArrowUp: 'Up', ArrowDown: 'Down', ArrowLeft: 'Left', ArrowRight: 'Right', PageDown: 'Next' },
    ...{ ',': 'comma', '/': 'slash', '?': 'question' },
  };
  return key
    .split('+')
    .map((part) => names[part] ?? part)
    .join('+');
}

/** A port that nobody listens on, below those that the system gives to others meanwhile. */
export async function quietPort(): Promise<number> {
  for (;;) {
    const port = 20_000 + Math.floor(Math.random() * 10_000);
    const server = createServer();
    server.listen(port, '127.0.0.1');
    const free = await once(server, 'listening').then(
      () => true,
      () => false,
    );
    server.close();
    if (free) return port;
  }
}
