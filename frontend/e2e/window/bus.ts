import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface, type Interface } from 'node:readline';
import type { Readable } from 'node:stream';
import { expect } from '@playwright/test';
import { repository } from '../support/binary';

/** What the desktop was asked for: a notification, or an icon in the panel. */
export interface Asked {
  notice?: number;
  replaces?: number;
  title?: string;
  body?: string;
  urgency?: number;
  actions?: string[];
  icon?: string;
  menu?: string[];
  error?: string;
}

/** A session bus with a desktop on it that shows nothing and notes everything: backend/desktop/desktoptest. */
export class Bus {
  readonly address: string;
  readonly asked: Asked[] = [];
  private readonly daemon: ChildProcess;
  private readonly desktop: ChildProcess;

  private constructor(address: string, daemon: ChildProcess, desktop: ChildProcess, lines: Interface) {
    this.address = address;
    this.daemon = daemon;
    this.desktop = desktop;
    lines.on('line', (line) => this.asked.push(JSON.parse(line) as Asked));
  }

  static async open(folder: string, ...flags: string[]): Promise<Bus> {
    const program = join(folder, 'desktoptest');
    execFileSync('go', ['build', '-trimpath', '-o', program, './backend/desktop/desktoptest'], {
      cwd: repository,
    });
    const daemon = spawn('dbus-daemon', ['--session', '--nofork', '--print-address'], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const [address] = await once(createInterface({ input: daemon.stdout as Readable }), 'line');
    const desktop = spawn(program, flags, {
      stdio: ['pipe', 'pipe', 'inherit'],
      env: { ...process.env, DBUS_SESSION_BUS_ADDRESS: String(address) },
    });
    const lines = createInterface({ input: desktop.stdout as Readable });
    await once(lines, 'line');
    return new Bus(String(address), daemon, desktop, lines);
  }

  /** Does what a user would do on the desktop. */
  act(what: string): void {
    this.desktop.stdin?.write(`${what}\n`);
  }

  /** Waits for what the desktop is asked for. */
  async next(is: (asked: Asked) => boolean): Promise<Asked> {
    await expect.poll(() => this.asked.some(is)).toBe(true);
    return this.asked.find(is) ?? {};
  }

  dispose(): void {
    this.desktop.kill();
    this.daemon.kill();
  }
}
