import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { expect, test } from '@playwright/test';
import { Screen } from '../support/screen';
import { Weft } from '../support/weft';
import { Inspector } from './inspector';
import { missing, quietPort, Window } from './window';

// From a program that was never started to a first answer that is seen. build/packages/check.sh runs it with WEFT_FIRST_ANSWER: a command that takes a
// port for WebKit's inspector, says "ready", installs a package, says "installed", and opens the window. FIRST_PROMPT is what is asked.

const absent = missing();
test.skip(absent.length > 0, 'The window was not tested without its desktop: see window.spec.ts.');

/** The command, and where it has come to. */
class Installed {
  private readonly process: ChildProcess;
  private readonly lines: AsyncIterator<string>;
  private said = '';

  constructor(command: string, port: number) {
    const shell = spawn('sh', ['-c', `${command} ${port}`], {
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.process = shell;
    this.lines = createInterface({ input: shell.stdout })[Symbol.asyncIterator]();
    shell.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.said = (this.said + text).slice(-4000);
    });
  }

  async reached(step: string): Promise<void> {
    for (;;) {
      const { value, done } = await this.lines.next();
      if (done === true) throw new Error(`The package was not ${step}:\n${this.said}`);
      if (value === step) return;
      this.said += `${value}\n`;
    }
  }

  async dispose(): Promise<void> {
    if (this.process.exitCode !== null || this.process.signalCode !== null) return;
    const gone = once(this.process, 'exit');
    process.kill(-(this.process.pid ?? 0), 'SIGKILL');
    await gone;
  }
}

test('a first answer is seen after one prompt', async () => {
  test.setTimeout(900_000);
  const command = process.env['WEFT_FIRST_ANSWER'];
  const weft = await Weft.create();
  let installed: Installed | undefined;
  let window: Window | undefined;
  const times: string[] = [];
  let last = 0;
  let first = 0;
  const passed = (what: string) => {
    times.push(`${what} ${((performance.now() - last) / 1000).toFixed(1)} s`);
    last = performance.now();
  };
  try {
    let inspector: Inspector;
    if (command === undefined) {
      first = last = performance.now();
      window = await Window.open(weft);
      inspector = window.inspector;
    } else {
      const port = await quietPort();
      installed = new Installed(command, port);
      await installed.reached('ready');
      first = last = performance.now();
      await installed.reached('installed');
      passed('installed in');
      inspector = await Inspector.connect(port);
    }
    const { page } = inspector;
    const ui = new Screen(page);
    await expect(page.getByRole('heading', { name: 'Welcome to Weft' })).toBeVisible();
    await expect(page.getByRole('textbox', { name: 'First prompt' })).toBeFocused();
    passed('its window shown in');
    await page.evaluate(() => {
      const counted = globalThis as unknown as { clicks: number };
      counted.clicks = 0;
      addEventListener('pointerdown', () => counted.clicks++, true);
    });
    const agent = await page
      .getByRole('radio', { checked: true })
      .evaluate((radio) => radio.closest('label')?.querySelector('strong, b, span')?.textContent ?? '');
    await page.keyboard.type(process.env['FIRST_PROMPT'] ?? 'summarise this project');
    await page.keyboard.press('Enter');
    await expect(ui.transcript.locator('[data-kind=prose]').last())
      .toBeVisible()
      .catch(async (err: unknown) => {
        throw new Error(`No answer is there, but:\n${await page.locator('body').textContent()}`, {
          cause: err,
        });
      });
    await page.evaluate(
      () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))),
    );
    passed('a prompt answered in');
    const clicks = await page.evaluate(() => (globalThis as unknown as { clicks: number }).clicks);
    const seconds = ((last - first) / 1000).toFixed(1);
    process.stdout.write(
      `First answer (${agent}): ${clicks} clicks in the window, ${seconds} s (${times.join(', ')})\n`,
    );
    await ui.idle();
    await ui.picture('first-answer');
    expect(clicks).toBe(0);
    await page
      .evaluate('void window.go.main.App.Invoke(\'CloseWindow\', \'{"how":"quit"}\')')
      .catch(() => {});
    inspector.close();
  } finally {
    await window?.dispose();
    await installed?.dispose();
    await weft.dispose();
  }
});
