import { writeFile } from 'node:fs/promises';
import { expect, type Locator, type Page, type TestInfo, test } from '@playwright/test';
import { faultOfFocus } from './focus';

/** Keys that need no map: what every list, form and text has. */
const common = new Set([
  ...['Tab', 'Shift+Tab', 'Enter', 'Esc', 'Ctrl+A', 'PageDown', '↑', '↓'],
  ...['Space', 'Home', 'End', 'Ctrl+V'],
]);

/** What presses the keys: that of the page, or one that the whole desktop has. */
export type Keyboard = Pick<Page['keyboard'], 'press' | 'type'>;

/**
 * A way through the window by keys alone. After each key the focus has to be on something that is seen; the keys are counted, by
 * station, and each has to be in the keyboard map.
 */
export class Walk {
  private readonly page: Page;
  private readonly info: TestInfo;
  private readonly keyboard: Keyboard;
  private readonly told = new Set<string>();
  private readonly used = new Set<string>();
  private readonly counts: [station: string, keys: number, most: number][] = [];
  private keys = 0;
  private pictures = 0;

  constructor(page: Page, info: TestInfo, keyboard: Keyboard = page.keyboard) {
    this.page = page;
    this.info = info;
    this.keyboard = keyboard;
  }

  /** A part of the way, which takes so many keys at most. Text that is typed counts as none. */
  readonly station = async (name: string, most: number, go: () => Promise<void>): Promise<void> => {
    this.keys = 0;
    await test.step(name, go);
    await this.picture(name);
    this.counts.push([name, this.keys, most]);
    expect.soft(this.keys, `keys for ${name}`).toBeLessThanOrEqual(most);
  };

  readonly press = async (key: string): Promise<void> => {
    this.keys++;
    this.used.add(printed(key));
    await this.keyboard.press(key);
    await this.isFocused(key);
  };

  readonly type = async (text: string): Promise<void> => {
    await this.keyboard.type(text);
    await this.isFocused(text);
  };

  /** Presses a key until the focus is where it is wanted, as a user would. */
  readonly until = async (wanted: Locator, key: string): Promise<void> => {
    await expect(wanted).toBeAttached();
    const there = () => wanted.evaluate((element) => element === document.activeElement);
    for (let i = 0; i < 30; i++) {
      if (await there()) return this.expectFocus(wanted);
      await this.press(key);
    }
    throw new Error(`${key} does not lead to ${wanted}`);
  };

  readonly expectFocus = async (wanted: Locator): Promise<void> => {
    await expect(wanted).toBeFocused();
    await this.isFocused('expected');
  };

  /** The focus is not lost, wherever it is. */
  readonly isSomewhere = (): Promise<void> => this.isFocused('that');

  /** Takes in the keys that the map tells here, and closes it again. */
  async readKeys(): Promise<void> {
    await this.keyboard.press('Control+k');
    const palette = this.page.getByRole('dialog', { name: 'Commands' });
    await expect(palette.getByPlaceholder('Type a command or space name')).toBeFocused();
    await this.keyboard.type('Keyboard shortcuts');
    await expect(palette.getByRole('option', { name: 'Keyboard shortcuts', selected: true })).toBeVisible();
    await this.keyboard.press('Enter');
    const map = this.page.getByRole('dialog', { name: 'Keyboard shortcuts' });
    await expect(map).toBeVisible();
    await this.isFocused('keyboard shortcuts');
    for (const keys of await map.locator('.keys').evaluateAll(namesOf)) this.told.add(keys);
    await this.picture('keyboard shortcuts');
    await this.keyboard.press('Escape');
    await expect(map).toBeHidden();
    await this.isFocused('closing the keyboard shortcuts');
  }

  /** Keeps what is seen now with the test. */
  async picture(name: string): Promise<void> {
    await this.page.evaluate(() => document.fonts.ready);
    const file = `${String(++this.pictures).padStart(2, '0')}-${name.replaceAll(' ', '-')}`;
    const path = this.info.outputPath(`${file}.png`);
    await this.page.screenshot({ path });
    await this.info.attach(file, { path, contentType: 'image/png' });
  }

  /** Ends the way: all its keys are in the map, and how many they were is kept. */
  async done(): Promise<void> {
    const counts = this.counts.map(([name, keys, most]) => `${name}: ${keys} of at most ${most} keys`);
    const path = this.info.outputPath('keys.txt');
    await writeFile(path, `${counts.join('\n')}\n`);
    await this.info.attach('keys', { path, contentType: 'text/plain' });
    const untold = [...this.used].filter((keys) => !common.has(keys) && !this.told.has(keys));
    expect(untold, 'keys that the map does not tell').toEqual([]);
  }

  /** The focus is on something, and one sees where it is. */
  private async isFocused(after: string): Promise<void> {
    await expect
      .poll(() => this.page.evaluate(faultOfFocus), { message: `the focus after ${after}` })
      .toBe('');
  }
}

/** A key as the map prints it. */
function printed(key: string): string {
  const names: Record<string, string> = {
    Control: 'Ctrl',
    Escape: 'Esc',
    ArrowUp: '↑',
    ArrowDown: '↓',
    ArrowLeft: '←',
    ArrowRight: '→',
  };
  const parts = key.split('+').map((part) => names[part] ?? (part.length === 1 ? part.toUpperCase() : part));
  // The map names the modifiers in this order.
  const order = ['Ctrl', 'Alt', 'Shift'];
  return [...order.filter((one) => parts.includes(one)), ...parts.filter((one) => !order.includes(one))].join(
    '+',
  );
}

/** The keys of entries of the map, one by one: "J / K" are two, and "1 – 9" are nine. */
function namesOf(entries: Element[]): string[] {
  return entries.flatMap((entry) => {
    const keys = [...entry.querySelectorAll('kbd')].map((key) => key.textContent ?? '');
    const last = keys.pop() ?? '';
    const each = last === '1 – 9' ? [...'123456789'] : last.split(' / ');
    return each.map((key) => [...keys, key].join('+'));
  });
}
