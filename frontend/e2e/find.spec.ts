import type { Page } from '@playwright/test';
import { deep } from './support/deep';
import { chunk } from './support/puppet';
import type { Screen } from './support/screen';
import { expect, test } from './support/test';
import type { Weft } from './support/weft';

test.use({ reducedMotion: 'no-preference' });

const bar = (page: Page) => page.getByRole('search', { name: 'Find in this conversation' });
const field = (page: Page) => page.getByRole('textbox', { name: 'Find in this conversation' });
const counts = (page: Page, text: string | RegExp) => expect(bar(page).getByRole('status')).toHaveText(text);

/** The text that is marked as the match where the user is. */
const now = (page: Page) =>
  page.evaluate(() =>
    [...(CSS.highlights.get('find-now') ?? [])].map((range) => (range as Range).toString()).join('|'),
  );
/** How many matches are marked. */
const marked = (page: Page) => page.evaluate(() => CSS.highlights.get('find')?.size ?? 0);
const nowInView = (page: Page) =>
  page.evaluate(() => {
    const [range] = [...(CSS.highlights.get('find-now') ?? [])] as Range[];
    const log = document.querySelector('.transcript-scroll')?.getBoundingClientRect();
    if (range === undefined || log === undefined) return false;
    const { top, bottom } = range.getBoundingClientRect();
    return top >= log.top && bottom <= log.bottom;
  });

/** A conversation of 200 lines, open at its end. */
async function lines(weft: Weft, page: Page, ui: Screen) {
  const { puppet, space } = await weft.puppet();
  await weft.call('SendPrompt', { spaceId: space.id, text: 'Where do the apples grow?' });
  const turn = await puppet.turn();
  turn.updates(Array.from({ length: 200 }, (_, i) => chunk(`Line ${i} of pears.\n\n`)));
  turn.end();
  await weft.open(page);
  await ui.idle();
  return { puppet, space };
}

test.describe('finding in the thread', () => {
  test.setTimeout(120_000);

  test('who goes to the end while a match is still brought into the view stays there', async ({
    weft,
    page,
    ui,
  }) => {
    const { puppet } = await lines(weft, page, ui);
    const atEnd = () =>
      page
        .locator('.transcript-scroll')
        .evaluate(({ scrollTop, scrollHeight, clientHeight }) => scrollHeight - clientHeight - scrollTop < 6);
    await expect.poll(atEnd).toBe(true);
    // A match is kept in its place for some frames; all keys come before they are over.
    const leave = async (keys: () => Promise<void>) => {
      await page.keyboard.press('Control+f');
      await expect(field(page)).toBeFocused();
      await field(page).fill('Line 3 of');
      await counts(page, '1 of 1');
      await page.keyboard.press('Enter');
      await expect.poll(() => now(page)).toBe('Line 3 of');
      await keys();
      // Long enough that whatever still moves the view would have.
      await ui.frames(60);
      expect(await atEnd()).toBe(true);
    };
    await leave(() => page.keyboard.press('Control+End'));
    await page.keyboard.press('Escape');
    await leave(async () => {
      await page.keyboard.press('Escape');
      await page.keyboard.press('/');
      await page.keyboard.insertText('And the quinces?');
      await page.keyboard.press('Enter');
    });
    const turn = await puppet.turn();
    turn.say('Beside them.');
    await expect(ui.text('Beside them.')).toBeInViewport();
    turn.end();
  });

  test('who goes to the end stays there when what was typed is found later, and when the search is closed', async ({
    weft,
    page,
    ui,
  }) => {
    const { space } = await lines(weft, page, ui);
    const end = page.getByRole('button', { name: /^(Go to latest|New messages)/ });
    // The focus is on a line that stays in the page when the end is gone to, but not in view.
    const { messageId, segment } = await weft.placeOf(space, 'Line 3 of');
    await page.evaluate((to) => {
      window.location.hash = to;
    }, `#/space/${space.id}/${messageId}.${segment}`);
    await expect(ui.transcript.locator(':focus')).toHaveCount(1);
    let found = () => {};
    await page.route('**/api/FindInSpace', async (route) => {
      await new Promise<void>((next) => {
        found = next;
      });
      await route.continue();
    });
    await page.keyboard.press('Control+f');
    const asked = page.waitForRequest('**/api/FindInSpace');
    await field(page).fill('Line 5 of');
    await asked;
    await page.keyboard.press('Control+End');
    await expect(end).toHaveCount(0);
    found();
    await counts(page, '1 of 1');
    await ui.frames(40);
    await expect(end).toHaveCount(0);
    await page.keyboard.press('Escape');
    await expect(bar(page)).toBeHidden();
    await ui.frames(40);
    await expect(end).toHaveCount(0);
    await expect(ui.transcript).toBeFocused();
  });

  test('who clicks elsewhere while a match is still brought into the view keeps the focus', async ({
    weft,
    page,
    ui,
  }) => {
    const { space } = await lines(weft, page, ui);
    const { messageId, segment } = await weft.placeOf(space, 'Line 3 of');
    await page.evaluate((to) => {
      window.location.hash = to;
    }, `#/space/${space.id}/${messageId}.${segment}`);
    await expect(page.locator('[data-arrived]')).toHaveCount(1);
    await ui.composer.click();
    await ui.frames(60);
    await expect(ui.composer).toBeFocused();
  });

  test('goes through all hits with a count, also in what is closed and not loaded', async ({
    weft,
    page,
    ui,
  }) => {
    const { puppet, space } = await weft.puppet();
    await weft.call('SendPrompt', { spaceId: space.id, text: 'Where do the apples grow? Größe matters.' });
    const turn = await puppet.turn();
    turn.say('Some **app**les, and an `apple` in code.\n\n```js\nconst apple = grow("apple");\n```\n');
    turn.think('An apple a day.');
    turn.did({
      ...{ toolCallId: 'a', title: 'Look around', kind: 'read' },
      content: [{ type: 'content', content: { type: 'text', text: 'one Apple\ntwo pears' } }],
    });
    turn.did({ toolCallId: 'b', title: 'Look again', kind: 'read' });
    turn.updates(Array.from({ length: 500 }, (_, i) => chunk(`Line ${i} of pears.\n\n`)));
    turn.say('The last ÄPPLE, with dots.');
    turn.end();
    await weft.open(page);
    await ui.idle();
    await expect(page.getByText('The last ÄPPLE')).toBeInViewport();
    await page.keyboard.press('Control+f');
    await expect(field(page)).toBeFocused();
    await field(page).fill('apple');
    // The prompt, the one in bold, "apple" in code, two in the fence, the thought, the output, of which the row has the first line as well, and the last one.
    await counts(page, '9 of 9');
    await page.keyboard.press('Enter');
    await expect.poll(() => now(page)).toBe('ÄPPLE');
    await page.keyboard.press('Enter');
    await counts(page, '1 of 9');
    await expect.poll(() => now(page)).toBe('apple');
    for (const [at, text] of [
      [2, 'apple'],
      [3, 'apple'],
      [4, 'apple'],
      [5, 'apple'],
      [6, 'apple'],
      [7, 'Apple'],
      [8, 'Apple'],
    ] as const) {
      await page.keyboard.press('Enter');
      await counts(page, `${at} of 9`);
      await expect.poll(() => now(page)).toBe(text);
      await expect.poll(() => nowInView(page)).toBe(true);
    }
    await expect(ui.tool('Look around')).toHaveAttribute('aria-expanded', 'true');
    // In what is drawn, bold letters do not part a word.
    await expect.poll(() => marked(page)).toBeGreaterThanOrEqual(5);
    const bold = () =>
      page.evaluate(() =>
        [...(CSS.highlights.get('find') ?? [])].some((range) =>
          (range as Range).startContainer.parentElement?.matches('strong'),
        ),
      );
    await expect.poll(bold).toBe(true);
    await ui.rests();
    await ui.picture('find');
    await page.keyboard.press('Shift+Enter');
    await counts(page, '7 of 9');
    await page.keyboard.press('F3');
    await counts(page, '8 of 9');

    await page.keyboard.press('Escape');
    await expect(bar(page)).toBeHidden();
    expect(await marked(page)).toBe(0);
    expect(await page.evaluate(() => getSelection()?.toString())).toBe('Apple');
    expect(await page.evaluate(() => document.activeElement?.closest('.transcript-scroll') !== null)).toBe(
      true,
    );

    await page.keyboard.press('Control+f');
    for (const query of ['größe', 'GRÖSSE', 'grosse']) {
      await field(page).fill(query);
      await counts(page, '1 of 1');
      await expect.poll(() => marked(page)).toBe(1);
    }
    await field(page).fill('nowhere to be found');
    await counts(page, 'No results');
    await field(page).fill('');
    await counts(page, '');
  });

  test('marks what is asked for now, and nothing of what was asked before', async ({ weft, page, ui }) => {
    await lines(weft, page, ui);
    const marks = () =>
      page.evaluate(() => {
        const marks = ['find', 'find-now'].flatMap((name) => [...(CSS.highlights.get(name) ?? [])]);
        const drawn = marks.map(({ startContainer, startOffset, endContainer, endOffset }) => {
          const range = new Range();
          range.setStart(startContainer, startOffset);
          range.setEnd(endContainer, endOffset);
          return range.toString();
        });
        return [...new Set(drawn)];
      });
    await page.keyboard.press('Control+f');
    for (const [query, drawn] of [
      ['pears', ['pears']],
      ['line 19', ['Line 19']],
      ['line 1', ['Line 1']],
      ['nowhere', []],
      ['pears', ['pears']],
      ['', []],
    ] as const) {
      await field(page).fill(query);
      await expect.poll(marks, query).toEqual(drawn);
    }
    await field(page).fill('pears');
    await expect.poll(marks).toEqual(['pears']);
    await page.keyboard.press('Escape');
    await expect.poll(marks).toEqual([]);
  });

  test('keeps the match marked where it is drawn again', async ({ weft, page, ui }) => {
    const { puppet, space } = await weft.puppet();
    await weft.call('SendPrompt', { spaceId: space.id, text: 'Where do the apples grow?' });
    const turn = await puppet.turn();
    turn.say('```js\nconst tree = grow("apple");\n```\n');
    turn.think('Pears.');
    turn.updates(Array.from({ length: 300 }, (_, i) => chunk(`Line ${i} of pears.\n\n`)));
    turn.end();
    await weft.open(page);
    await ui.idle();
    await page.keyboard.press('Control+f');
    await field(page).fill('grow("apple');
    await page.keyboard.press('Enter');
    await counts(page, '1 of 1');
    await expect.poll(() => now(page)).toBe('grow("apple');
    await expect.poll(() => nowInView(page)).toBe(true);
    const fence = page.getByText('const tree');
    await page.locator('.transcript-scroll').hover();
    await expect(async () => {
      await page.mouse.wheel(0, 20_000);
      await expect(fence).toHaveCount(0, { timeout: 500 });
    }).toPass();
    await expect(async () => {
      await page.mouse.wheel(0, -20_000);
      await expect(fence).toBeVisible({ timeout: 500 });
    }).toPass();
    await expect.poll(() => now(page)).toBe('grow("apple');
  });

  test('goes to what is below the line of a call, and leaves the line as it is', async ({
    weft,
    page,
    ui,
  }) => {
    const { puppet, space } = await weft.puppet();
    await weft.call('SendPrompt', { spaceId: space.id, text: 'Edit it.' });
    const turn = await puppet.turn();
    const why = `The file has not been read yet. ${'Read it once more, '.repeat(12)}but first of all look at the pears.`;
    turn.did({
      ...{ toolCallId: 'a', title: 'Edit the trees', kind: 'edit', status: 'failed' },
      content: [{ type: 'content', content: { type: 'text', text: why } }],
    });
    turn.say('Done.');
    turn.end();
    await weft.open(page);
    await ui.idle();
    await page.keyboard.press('Control+f');
    await field(page).fill('pears');
    await counts(page, '1 of 2'); // its line tells the beginning of the output
    await page.keyboard.press('Enter');
    const where = () =>
      page.evaluate(() => {
        const [range] = [...(CSS.highlights.get('find-now') ?? [])] as Range[];
        return range?.startContainer.parentElement?.closest('.detail') !== null;
      });
    await expect.poll(() => now(page)).toBe('pears');
    await expect.poll(where).toBe(true);
    await ui.rests();
    const lines = page.locator('.tool-note, .tool-title');
    expect(
      await lines.evaluateAll((all) => all.map(({ scrollLeft }) => scrollLeft).filter((x) => x !== 0)),
    ).toEqual([]);
    // The match is selected for the next keys, not to be quoted.
    await page.keyboard.press('Escape');
    expect(await page.evaluate(() => getSelection()?.toString())).toBe('pears');
    await ui.rests();
    await expect(page.getByRole('button', { name: /^Quote/ })).toBeHidden();
  });

  test('takes in what an agent writes meanwhile, and leaves typing alone', async ({ weft, page, ui }) => {
    const { puppet } = await weft.puppet();
    await weft.open(page);
    await ui.send('Count');
    const turn = await puppet.turn();
    turn.say('A pear. ');
    await expect(ui.text('A pear.')).toBeVisible();
    await page.keyboard.press('Control+f');
    await field(page).fill('pear');
    await counts(page, '1 of 1');
    turn.say('Another pear. ');
    await counts(page, '1 of 2');
    turn.think('pear pear');
    await counts(page, '1 of 4');
    await page.keyboard.type('s');
    await counts(page, 'No results');
    await page.keyboard.press('Backspace');
    await counts(page, '1 of 4');
    turn.end();
    await page.keyboard.press('Shift+Enter');
    await counts(page, /of 4$/);
    await expect(field(page)).toBeFocused();
  });

  test('finds the error of a whole turn, also in its details', async ({ weft, page, ui }) => {
    const { puppet } = await weft.puppet();
    await weft.open(page);
    await ui.send('Go');
    const turn = await puppet.turn();
    turn.say('A pear. ');
    await expect(ui.text('A pear.')).toBeVisible();
    puppet.crash(3, `${'filler\n'.repeat(40)}The apple cart was upset.\n`);
    await expect(page.locator('.error-block')).toBeVisible();
    await page.keyboard.press('Control+f');
    await field(page).fill('apple cart');
    await counts(page, '1 of 1');
    await page.keyboard.press('Enter');
    await expect.poll(() => now(page)).toBe('apple cart');
  });

  test('survives hostile queries', deep, async ({ weft, page, ui }) => {
    const { puppet } = await weft.puppet();
    await weft.open(page);
    await ui.send('Go');
    const turn = await puppet.turn();
    turn.say('(a|b)* [x] \\d+ "quoted" \u0301 <b>bold</b> e\u0301e\u0301');
    turn.end();
    await ui.idle();
    await page.keyboard.press('Control+f');
    for (const [query, says] of [
      ['(a|b)*', '1 of 1'],
      ['\\d+', '1 of 1'],
      ['"', '1 of 2'],
      ['\u0301', ''],
      ['ee', '1 of 1'],
      ['<b>', '1 of 1'],
      ['x'.repeat(2000), 'No results'],
      ['   ', 'No results'],
    ] as const) {
      await field(page).fill(query);
      await counts(page, says);
    }
  });
});
