import { resolve } from 'node:path';
import { expect, type Locator, type Page } from '@playwright/test';

const pictures = resolve(import.meta.dirname, '../../test-results/screens');

/** The window by the names that a user knows its parts by. */
export class Screen {
  readonly page: Page;
  constructor(page: Page) {
    this.page = page;
  }

  get sidebar(): Locator {
    return this.page.getByRole('navigation', { name: 'Spaces and settings' });
  }
  get spaces(): Locator {
    return this.sidebar.getByRole('list', { name: 'Spaces', exact: true });
  }
  /** The line of the sidebar that opens the inbox; its name says how many requests wait. */
  get inbox(): Locator {
    return this.sidebar.getByRole('button', { name: /^Inbox/ });
  }
  /** So many requests wait for the user, as the sidebar says. */
  async waiting(count: number): Promise<void> {
    const more =
      count === 0 ? '' : count === 1 ? ' 1 request needs your answer' : ` ${count} requests need your answer`;
    await expect(this.inbox).toHaveAccessibleName(`Inbox${more}`);
  }
  get transcript(): Locator {
    return this.page.getByRole('log', { name: 'Conversation' });
  }
  get composer(): Locator {
    return this.page.getByRole('textbox', { name: /^Message / });
  }
  get permissions(): Locator {
    return this.transcript.getByRole('region', { name: /^Permission required: / });
  }
  get plan(): Locator {
    return this.page.getByRole('region', { name: 'Plan' });
  }
  get queue(): Locator {
    return this.page.getByRole('region', { name: 'Queued prompts' });
  }
  get error(): Locator {
    return this.transcript.getByRole('region', { name: 'Error' });
  }
  get stop(): Locator {
    return this.page.getByRole('button', { name: /^Stop( \(Esc\))?$/ });
  }
  get palette(): Locator {
    return this.page.getByRole('dialog', { name: 'Commands' });
  }
  get notices(): Locator {
    return this.page.getByRole('region', { name: /^Notifications/ });
  }
  get changes(): Locator {
    return this.page.getByRole('region', { name: 'Changes', exact: true });
  }
  /** A hunk of the file that is open, counted from 1. */
  hunk(n: number): Locator {
    return this.changes.locator('.change-hunk').filter({ hasText: new RegExp(`^Change ${n} of`) });
  }
  get log(): Locator {
    return this.page.getByRole('region', { name: 'Protocol log' });
  }
  /** The line of a group, which opens and closes it. */
  group(name: string | RegExp): Locator {
    return this.transcript.locator('.group-line').filter({ hasText: name });
  }
  /** The line of a tool call, which opens and closes it. */
  tool(title: string | RegExp): Locator {
    return this.transcript.locator('.tool-line').filter({ hasText: title });
  }
  text(words: string | RegExp): Locator {
    return this.transcript.locator('[data-kind=prose]').filter({ hasText: words });
  }

  async send(text: string): Promise<void> {
    await this.composer.fill(text);
    await this.composer.press('Enter');
    await expect(this.composer).toHaveValue('');
    const prompt = this.transcript.locator('.prompt').filter({ hasText: text }).last();
    // Where the answer is long and at once, the prompt is above what is drawn before anyone looks.
    const seen = prompt.or(this.queue.getByText(text, { exact: true }).last()).or(this.permissions);
    await expect(seen.first()).toBeVisible();
  }

  /** Runs a command of the palette. */
  async command(title: string): Promise<void> {
    await this.page.keyboard.press('Control+k');
    await this.palette.getByPlaceholder('Type a command or space name').fill(title);
    await expect(this.palette.getByRole('option', { name: title, selected: true })).toBeVisible();
    await this.page.keyboard.press('Enter');
    await expect(this.palette).toBeHidden();
  }

  /** Opens the settings at a section. */
  async openSettings(section = 'Agents'): Promise<void> {
    await this.page.keyboard.press('Control+,');
    await expect(this.page.getByRole('heading', { name: 'Settings', level: 1 })).toBeVisible();
    await this.showSection(section);
  }

  get sections(): Locator {
    return this.page.getByRole('navigation', { name: 'Settings sections' });
  }

  /** Shows a section of the settings, which are open. */
  async showSection(section: string): Promise<void> {
    await this.sections.getByRole('link', { name: section, exact: true }).click();
    await this.inSection(section);
  }

  /** The settings are open at a section. */
  async inSection(section: string): Promise<void> {
    await expect(this.page.getByRole('heading', { name: section, level: 2, exact: true })).toBeVisible();
    await expect(this.sections.getByRole('link', { name: section, exact: true })).toHaveAttribute(
      'aria-current',
      'page',
    );
  }

  /** No turn runs in the space that is open. */
  async idle(): Promise<void> {
    await expect(this.page.getByRole('button', { name: 'Send', exact: true })).toBeVisible();
    await expect(this.transcript.locator('.cursor, .row[data-cursor=true]')).toHaveCount(0);
  }

  /** Lets so many frames pass: whatever still moves has moved by then. */
  frames(count: number): Promise<void> {
    return this.page.evaluate(
      (frames) =>
        new Promise<void>((done) => {
          let left = frames;
          const step = () => (left-- > 0 ? requestAnimationFrame(step) : done());
          step();
        }),
      count,
    );
  }

  /**
   * The conversation is still: the list goes to its place again with each size that it learns, for
   * a few frames, and what arrives slides in.
   */
  async rests(): Promise<void> {
    await this.transcript.evaluate(
      (log) =>
        new Promise<void>((done) => {
          let at = log.scrollTop;
          let still = 0;
          const slides = () =>
            log
              .getAnimations({ subtree: true })
              .some(
                (one) => one.playState === 'running' && one.effect?.getComputedTiming().endTime !== Infinity,
              );
          const look = () => {
            still = log.scrollTop === at && !slides() ? still + 1 : 0;
            at = log.scrollTop;
            if (still < 20) requestAnimationFrame(look);
            else done();
          };
          look();
        }),
    );
  }

  /**
   * The conversation as lines, in its order: what was said and done, with the
   * state of each call. Without times, so that it can be compared.
   */
  async lines(groups: 'as they are' | 'open' = 'as they are'): Promise<string[]> {
    const size = this.page.viewportSize();
    // Tall, so that the whole of it is drawn.
    await this.page.setViewportSize({ width: size?.width ?? 1280, height: 6000 });
    await this.transcript.evaluate((log) => log.scrollTo(0, 0));
    const closed = this.transcript.locator(
      '.group-line[aria-expanded=false], .nest-line[aria-expanded=false]',
    );
    const read = () => this.transcript.evaluate(readLines);
    let before = await read();
    await expect(async () => {
      while (groups === 'open' && (await closed.count()) > 0) await closed.first().click();
      const now = await read();
      const same = JSON.stringify(now) === JSON.stringify(before);
      before = now;
      expect(same).toBe(true);
      expect(
        await this.transcript.evaluate(notDrawn),
        'the list is drawn from its start to its end',
      ).toBeLessThan(60);
    }).toPass({ intervals: [50] });
    if (size !== null) await this.page.setViewportSize(size);
    return before;
  }

  /** Keeps what is on the screen in test-results/screens, for someone to look at: only when WEFT_PICTURES is set, as it takes long. */
  async picture(name: string): Promise<void> {
    if (process.env['WEFT_PICTURES'] === undefined) return;
    await this.page.evaluate(() => document.fonts.ready);
    await this.page.screenshot({ path: resolve(pictures, `${name}.png`) });
  }
}

/** How much is missing above the first row that is drawn, or below the last, in pixels. */
function notDrawn(log: Element): number {
  const rows = log.querySelectorAll('.row');
  const end = log.querySelector('.transcript-bottom');
  const [first, last] = [rows[0], rows[rows.length - 1]];
  if (first === undefined || last === undefined || end === null) return 0;
  const above = first.getBoundingClientRect().top - log.getBoundingClientRect().top + log.scrollTop;
  return Math.max(above, end.getBoundingClientRect().top - last.getBoundingClientRect().bottom);
}

function readLines(log: Element): string[] {
  const clean = (element: Element | null) => (element?.textContent ?? '').replace(/\s+/g, ' ').trim();
  const lines: string[] = [];
  for (const row of log.querySelectorAll<HTMLElement>('.row')) {
    const kind = row.dataset['kind'];
    if (row.matches('.prompt')) lines.push(`you: ${clean(row.querySelector('.prompt-text'))}`);
    else if (kind === 'head') lines.push(`agent: ${clean(row.querySelector('.head-name'))}`);
    else if (kind === 'group') {
      const group = row.querySelector<HTMLElement>('.group');
      if (group !== null)
        lines.push(`group: ${clean(group.querySelector('.group-label'))} (${group.dataset['status']})`);
      for (const item of row.querySelectorAll<HTMLElement>('.tool, .thought')) {
        if (item.matches('.tool'))
          lines.push(`  tool: ${clean(item.querySelector('.tool-title'))} (${item.dataset['status']})`);
        else lines.push('  thought');
      }
    } else if (kind === 'prose') lines.push(`text: ${clean(row)}`);
    else if (kind === 'tail') lines.push('…');
    // How long a turn took differs from run to run.
    else if (kind === 'footer') continue;
    else lines.push(`note: ${clean(row)}`);
  }
  return lines;
}
