import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { Random } from '../../src/markdown/testing/random';
import { faultOfFocus } from '../support/focus';
import { chunk } from '../support/puppet';
import { expect, test } from '../support/test';
import type { Weft } from '../support/weft';

// Keys at random, from a seed: wherever they lead, the focus is on something that is seen, nothing fails, and Escape leads out.
// It runs by hand: WEFT_SEED=1,2 names the seeds, WEFT_STEPS the number of keys. What loads meanwhile differs from run to run, so a seed
// finds other faults each time.

test.describe.configure({ mode: 'parallel' });

const seeds = process.env['WEFT_SEED']?.split(',').map(Number) ?? [];
const steps = Number(process.env['WEFT_STEPS'] ?? 500);
/** So many keys it is from one way out to the next. */
const stretch = 40;
/** Having found so many faults, a walk ends. */
const most = Number(process.env['WEFT_FAULTS'] ?? 5);

const moves = [
  ...['Tab', 'Tab', 'Tab', 'Tab', 'Tab', 'Tab', 'Shift+Tab', 'Shift+Tab', 'Shift+Tab'],
  ...['ArrowDown', 'ArrowDown', 'ArrowDown', 'ArrowUp', 'ArrowLeft', 'ArrowRight', 'Home', 'End', 'PageDown'],
  ...['PageUp', 'Enter', 'Enter', 'Enter', 'Enter', 'Space', 'Escape', 'Escape'],
];
const letters = [...'abcejkprtuxyz/?123'];
const shortcuts = [
  ...['Control+k', 'Control+n', 'Control+j', 'Control+b', 'Control+,', 'Control+f', 'Control+Shift+f'],
  ...['Control+Shift+g', 'Control+Shift+b', 'Control+Shift+m', 'Control+Shift+l', 'Control+Shift+r'],
  ...['Control+Shift+j', 'Control+Shift+o', 'Control+Shift+e', 'Control+a', 'Control+End', 'Control+Enter'],
  ...['Alt+ArrowUp', 'Alt+ArrowDown', 'Alt+ArrowLeft', 'Alt+ArrowRight', 'Alt+l', 'F2', 'F3', 'Shift+F3'],
  ...['Shift+ArrowDown', 'Shift+Enter', 'Delete', 'Backspace', 'ContextMenu'],
];

async function talks(weft: Weft): Promise<void> {
  const { puppet, agent, space } = await weft.puppet();
  for (const [n, id] of [space.id, (await weft.space(agent.id)).id].entries()) {
    await weft.call('SendPrompt', {
      spaceId: id,
      text: `Where do the pears grow? ${n}\nIn more than one line.`,
    });
    const turn = await puppet.turn();
    turn.think('Perhaps on trees.');
    turn.did({
      toolCallId: `e${n}`,
      title: 'Edit pears.txt',
      kind: 'edit',
      locations: [{ path: `${weft.project}/pears.txt` }],
    });
    turn.did({ toolCallId: `f${n}`, title: 'Run the tests', kind: 'execute', status: 'failed' });
    turn.updates(
      Array.from({ length: 30 }, (_, i) =>
        chunk(`Line ${n}.${i} of pears, see [the site](https://example.test/).\n\n`),
      ),
    );
    turn.end();
    await expect.poll(async () => (await weft.call('OpenSpace', { spaceId: id })).runs).toEqual([]);
  }
  for (const title of ['Apples', 'Plums']) await weft.space('guide', title);
  const claude = join(weft.home, '.claude', 'projects', '-orchard');
  await mkdir(claude, { recursive: true });
  const said = (n: number, role: string, content: unknown) =>
    JSON.stringify({
      ...{ parentUuid: n === 1 ? null : `${n - 1}`, isSidechain: false, type: role, uuid: `${n}` },
      ...{ message: { id: `${n}`, role, content }, timestamp: `2026-03-01T09:0${n}:00.000Z` },
      ...{ cwd: weft.project, sessionId: 'ripe', version: '2.1.0' },
    });
  const lines = [said(1, 'user', 'Ripe?'), said(2, 'assistant', [{ type: 'text', text: 'Ripe.' }])];
  await writeFile(join(claude, 'ripe.jsonl'), `${lines.join('\n')}\n`);
  // Whoever writes to Robin gets an answer.
  const answer = async () => {
    for (;;) {
      const turn = await puppet.turn();
      turn.say('Yes.');
      turn.end();
    }
  };
  void answer();
}

/** What Escape has not led out of, in words. */
function stays(): string {
  const over = document.querySelector('[role=dialog], [role=alertdialog], [role=menu], .find-bar');
  const screen = document.querySelector('.settings-screen, .searching, .triage, .registry-head');
  return [over, screen]
    .map((one) => (one === null ? '' : `${one.tagName.toLowerCase()}.${one.className}`))
    .join('');
}

/** Beyond the last control of a page are those of the browser, which are not there: it continues with the page. Reports whether. */
async function wrap(page: Page, key: string): Promise<boolean> {
  const nowhere = () => page.evaluate(() => document.activeElement === document.body);
  // What was closed by the key brings the focus back some frames later.
  for (let i = 0; await nowhere(); i++) {
    if (i === 8) {
      // The page believes that the browser has the focus, and draws no ring for a while.
      await page.keyboard.press(key);
      return true;
    }
    await page.evaluate(() => new Promise((next) => setTimeout(next, 50)));
  }
  return false;
}

/** The focus, once what the key has begun is over. */
async function rested(page: Page): Promise<string> {
  let fault = '';
  for (let i = 0; i < 100; i++) {
    fault = await page.evaluate(faultOfFocus);
    if (fault === '') return '';
    await page.evaluate(() => new Promise((next) => setTimeout(next, 50)));
  }
  return fault;
}

const scrolls = /^(Arrow|Page|Home|End|Space|Alt\+Arrow|Control\+End)/;

/** Whether the same has the focus as when this was asked before. */
function isWhereItWas(): boolean {
  const { activeElement } = document;
  const before = Reflect.get(window, 'hadFocus');
  Reflect.set(window, 'hadFocus', activeElement);
  return activeElement !== document.body && activeElement === before;
}

/** Notes that the user scrolls while something has the focus: a dialog may bring the focus back to where it isn't seen any more. */
function noteScroll(): void {
  const away: WeakSet<Element> = Reflect.get(window, 'scrolledAway') ?? new WeakSet();
  Reflect.set(window, 'scrolledAway', away);
  if (document.activeElement !== null) away.add(document.activeElement);
}

/**
 * What is no fault: what the user has scrolled away, the field of a new space below what is read first, what a toast is over for some seconds,
 * and a page that isn't the active one.
 */
function isExcused(fault: string): boolean {
  const { activeElement } = document;
  const away: WeakSet<Element> | undefined = Reflect.get(window, 'scrolledAway');
  if (activeElement === null || activeElement === document.body) return false;
  if (/ (is not in view|is covered by )/.test(fault))
    return (
      away?.has(activeElement) === true ||
      activeElement.matches('.first-prompt > *') ||
      / covered by .*toast/.test(fault)
    );
  return fault.endsWith('shows no focus') && !activeElement.matches(':focus-visible');
}

for (const seed of seeds) {
  test(`keys at random keep the focus, seed ${seed}`, async ({ weft, page, ui }) => {
    await talks(weft);
    await weft.open(page);
    await ui.idle();
    page.on('filechooser', () => {});
    page.context().on('page', (other) => void other.close());
    const errors: string[] = [];
    page.on('pageerror', (error) => errors.push(error.message));
    const random = new Random(seed);
    const way: string[] = [];
    const faults: string[] = [];
    let skips = false;
    const press = async (key: string) => {
      way.push(key);
      await page.keyboard.press(key);
      const wrapped = /Tab$/.test(key) && (await wrap(page, key));
      // Whoever scrolls by keys scrolls away what has the focus, too.
      const same = await page.evaluate(isWhereItWas);
      skips = wrapped || (same && (skips || scrolls.test(key)));
      if (scrolls.test(key)) await page.evaluate(noteScroll);
      if (skips) return;
      const fault = await rested(page);
      if (fault !== '' && !(await page.evaluate(isExcused, fault)))
        faults.push(`after ${way.length} keys, …${way.slice(-12).join(' ')}: ${fault}`);
    };
    const leave = async () => {
      for (let i = 0; i < 6; i++) {
        await press('Escape');
        if ((await page.evaluate(stays)) === '') return;
      }
      // What closes fades first.
      await expect
        .poll(() => page.evaluate(stays), { timeout: 3000 })
        .toBe('')
        .catch(async () =>
          faults.push(`after ${way.length} keys, Escape stays in ${await page.evaluate(stays)}`),
        );
    };
    for (let step = 1; step <= steps && faults.length < most; step++) {
      const kind = random.next();
      await press(random.pick(kind < 0.7 ? moves : kind < 0.82 ? letters : shortcuts));
      if (step % stretch === 0) await leave();
    }
    expect(faults, `the way of seed ${seed}`).toEqual([]);
    expect(errors, `errors on the way of seed ${seed}`).toEqual([]);
  });
}
