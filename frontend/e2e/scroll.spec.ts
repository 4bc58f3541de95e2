import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator, Page } from '@playwright/test';
import { fromEnd, segments, watch, wrongFrames } from './support/frames';
import { chunk } from './support/puppet';
import { expect, test } from './support/test';

test.use({ reducedMotion: 'no-preference' });

const paragraph = (i: number) => `Paragraph ${i}: apples are counted one by one, basket for basket.\n\n`;

/** The paragraph that is read: the first that is wholly in the view. */
async function read(page: Page): Promise<Locator> {
  const words = await page.getByRole('log').evaluate((log) => {
    const top = log.getBoundingClientRect().top;
    return (
      [...log.querySelectorAll('p')].find((p) => p.getBoundingClientRect().top > top + 40)?.textContent ?? ''
    );
  });
  return page.getByRole('log').getByText(words.trim(), { exact: true });
}

/** Scrolls up by the wheel until the end is left. */
async function up(page: Page, by: number): Promise<void> {
  await page.getByRole('log').hover();
  const before = await fromEnd(page);
  await page.mouse.wheel(0, -by);
  await expect.poll(() => fromEnd(page)).toBeGreaterThan(before + by - 50);
}

test.describe('the end of the conversation', () => {
  test('is followed while it grows, and left alone when the user reads above', async ({ weft, page, ui }) => {
    const { puppet } = await weft.puppet();
    await weft.open(page);
    await ui.send('go');
    const turn = await puppet.turn();
    for (let i = 0; i < 60; i++) turn.say(paragraph(i));
    await expect(ui.text('Paragraph 59')).toBeInViewport();
    await expect.poll(() => fromEnd(page)).toBeLessThan(2);

    await up(page, 600);
    await expect(page.getByRole('button', { name: 'Go to latest' })).toBeVisible();
    await ui.rests();
    const words = await read(page);
    const before = await words.boundingBox();
    for (let i = 60; i < 90; i++) turn.say(paragraph(i));
    turn.did({ toolCallId: 'a', title: 'Read the end', kind: 'read' });
    const below = page.getByRole('button', { name: 'New messages' });
    await expect(below).toBeVisible();
    const after = await words.boundingBox();
    expect(Math.abs((after?.y ?? 0) - (before?.y ?? 0))).toBeLessThanOrEqual(1);

    await below.click();
    await expect(ui.tool('Read the end')).toBeInViewport();
    await expect(below).toBeHidden();
    turn.say('And more.\n\n');
    for (let i = 90; i < 120; i++) turn.say(paragraph(i));
    await expect(ui.text('Paragraph 119')).toBeInViewport();
    await expect.poll(() => fromEnd(page)).toBeLessThan(2);
    turn.end();
    await ui.idle();
    await expect.poll(() => fromEnd(page)).toBeLessThan(2);
  });

  test('is followed without the list being drawn again while a text grows', async ({ weft, page, ui }) => {
    const { puppet } = await weft.puppet();
    await weft.open(page);
    await ui.send('go');
    const turn = await puppet.turn();
    const say = async (from: number, to: number) => {
      for (let i = from; i < to; i++) {
        turn.say(`${'the words go on and on '.repeat(4)}to number ${i}, `);
        await expect(ui.text(`number ${i}, `)).toBeInViewport();
      }
    };
    // It hears once that the view is full.
    await say(0, 30);
    await expect.poll(() => fromEnd(page)).toBeLessThan(2);
    await ui.rests();
    // How often the list, or the place of a row in it, is changed.
    const list = await page
      .locator('.list-row')
      .first()
      .evaluateHandle((row) => row.parentElement?.parentElement);
    const changes = await list.evaluateHandle((element) => {
      const seen: string[] = [];
      const note = (all: MutationRecord[]) => {
        for (const { type, target, attributeName } of all)
          if (target === element || target.parentNode === element)
            seen.push(`${type} ${attributeName ?? ''}`);
      };
      new MutationObserver(note).observe(element as Node, {
        subtree: true,
        childList: true,
        attributes: true,
      });
      return seen;
    });
    const from = await page.getByRole('log').evaluate((log) => log.scrollHeight);
    await say(30, 50);
    expect(await page.getByRole('log').evaluate((log) => log.scrollHeight)).toBeGreaterThan(from + 300);
    expect(await fromEnd(page)).toBeLessThan(2);
    expect(await changes.jsonValue()).toEqual([]);
    // What it was not told, it knows once the text is complete, and where the user reads above.
    await up(page, 120);
    await ui.rests();
    const place = () => page.getByRole('log').evaluate((log) => log.scrollTop);
    const before = await place();
    turn.say('and to the end.');
    await expect(ui.text('and to the end.')).toBeAttached();
    expect(await place()).toBe(before);
    await page.getByRole('button', { name: /Go to latest|New messages/ }).click();
    await expect.poll(() => fromEnd(page)).toBeLessThan(2);
    turn.end();
    await ui.idle();
    await expect.poll(() => fromEnd(page)).toBeLessThan(2);
    expect(await list.evaluate((element) => element?.getBoundingClientRect().height)).toBeGreaterThan(300);
  });

  test('can be clicked on while rows come, and rows that are there are not made again', async ({
    weft,
    page,
    ui,
  }) => {
    const { puppet } = await weft.puppet();
    await weft.open(page);
    await ui.send('go');
    const turn = await puppet.turn();
    const read = (i: number) => turn.did({ toolCallId: `t${i}`, title: `Read basket ${i}`, kind: 'read' });
    const say = (i: number) => {
      read(i);
      turn.say(paragraph(i));
    };
    for (let i = 0; i < 30; i++) say(i);
    await expect(ui.text('Paragraph 29')).toBeInViewport();
    await expect.poll(() => fromEnd(page)).toBeLessThan(2);
    await ui.frames(20);
    const seen = await page.getByRole('log').evaluateHandle((log) => {
      const seen = { missed: 0, hit: 0, made: [] as string[] };
      const { x, y, width, height } = log.getBoundingClientRect();
      const look = () => {
        const on = document.elementFromPoint(x + width / 2, y + height / 2);
        if (on?.closest('.list-row') == null) seen.missed++;
        else seen.hit++;
        requestAnimationFrame(look);
      };
      look();
      new MutationObserver((changes) => {
        for (const { addedNodes } of changes)
          for (const node of addedNodes) {
            const row = node instanceof Element ? node.querySelector('[data-row]') : null;
            const key = row?.getAttribute('data-row') ?? '';
            // What says that the agent works goes while it writes.
            if (key !== '' && !key.endsWith(':tail')) seen.made.push(key);
          }
      }).observe(log, { subtree: true, childList: true });
      return seen;
    });
    for (let i = 30; i < 36; i++) {
      say(i);
      await expect(ui.text(`Paragraph ${i}:`)).toBeInViewport();
      // The list takes it that nothing scrolls any more.
      await ui.frames(20);
    }
    const { missed, hit, made } = await seen.jsonValue();
    expect(missed).toBe(0);
    expect(hit).toBeGreaterThan(50);
    expect(made.length).toBeGreaterThan(10);
    expect(made.toSorted()).toEqual([...new Set(made)].toSorted());
    turn.end();
    await ui.idle();
  });

  test('is full in each frame, however many rows come with it', async ({ weft, page, ui }) => {
    const { puppet } = await weft.puppet();
    await weft.open(page);
    await ui.send('go');
    const turn = await puppet.turn();
    let written = 200;
    turn.updates(segments(0, written));
    await expect(ui.tool('Read 199')).toBeInViewport();
    await watch(page, true);
    for (const rows of [1, 2, 5, 12, 30, 90])
      for (let n = 0; n < 30; n++) {
        turn.updates(segments(written, written + rows));
        written += rows;
        await page.evaluate(() => new Promise(requestAnimationFrame));
      }
    await expect(ui.tool(`Read ${written - 1}`)).toBeInViewport();
    expect(await wrongFrames(page)).toEqual([]);
  });

  test('waits while a button is down, so that what grows can be clicked and selected', async ({
    weft,
    page,
    ui,
  }) => {
    const { puppet } = await weft.puppet();
    await weft.open(page);
    await ui.send('go');
    const turn = await puppet.turn();
    for (let i = 0; i < 30; i++) turn.say(paragraph(i));
    turn.tool({ toolCallId: 'a', title: 'Read the basket', kind: 'read', status: 'in_progress' });
    const tool = ui.tool('Read the basket');
    await expect(tool).toBeInViewport();
    await expect.poll(() => fromEnd(page)).toBeLessThan(2);
    // What still slides in is hovered at the second try, for which Playwright scrolls it to an edge.
    await ui.rests();
    const before = await tool.boundingBox();
    await tool.hover();
    await page.mouse.down();
    for (let i = 30; i < 40; i++) turn.say(paragraph(i));
    await expect(ui.text('Paragraph 39')).toBeAttached();
    const moved = ((await tool.boundingBox())?.y ?? 0) - (before?.y ?? 0);
    expect(Math.abs(moved)).toBeLessThan(1);
    await page.mouse.up();
    await expect(tool).toHaveAttribute('aria-expanded', 'true');
    turn.end();
    await ui.idle();
  });

  test('is followed over several turns', async ({ weft, page, ui }) => {
    const { puppet } = await weft.puppet();
    await weft.open(page);
    for (let n = 1; n <= 6; n++) {
      await ui.send(`turn ${n}`);
      const turn = await puppet.turn();
      for (let i = 0; i < 25; i++) turn.say(`${n} ${paragraph(i)}`);
      turn.did({ toolCallId: `${n}`, title: `Read ${n}`, kind: 'read' });
      turn.end();
      await ui.idle();
      await expect(ui.tool(`Read ${n}`)).toBeInViewport();
      expect(await fromEnd(page)).toBeLessThan(2);
    }
  });

  test('stays in sight while the user writes', async ({ weft, page, ui }) => {
    const { puppet, space } = await weft.puppet();
    await weft.open(page);
    await ui.send('go');
    const turn = await puppet.turn();
    for (let i = 0; i < 30; i++) turn.say(paragraph(i));
    await expect(ui.text('Paragraph 29')).toBeInViewport();
    await expect.poll(() => fromEnd(page)).toBeLessThan(2);

    const toEnd = page.getByRole('button', { name: /Go to latest|New messages/ });
    await ui.composer.pressSequentially('one line');
    expect(await fromEnd(page)).toBeLessThan(2);
    for (let i = 0; i < 4; i++) await ui.composer.press('Shift+Enter');
    await expect.poll(() => fromEnd(page)).toBeLessThan(2);
    for (let i = 0; i < 4; i++) await ui.composer.press('Backspace');
    await expect.poll(() => fromEnd(page)).toBeLessThan(2);

    // What happens in the space leaves the caret where it is.
    await ui.composer.press('Home');
    await weft.call('UpdateSpace', { spaceId: space.id, title: 'Another name' });
    await expect(page.getByRole('heading', { name: 'Another name' })).toBeVisible();
    await ui.composer.pressSequentially('first ');
    await expect(ui.composer).toHaveValue('first one line');
    for (let i = 30; i < 60; i++) turn.say(paragraph(i));
    await expect(ui.text('Paragraph 59')).toBeInViewport();
    await expect.poll(() => fromEnd(page)).toBeLessThan(2);
    await expect(toEnd).toBeHidden();
    turn.end();
    await ui.idle();
    await expect.poll(() => fromEnd(page)).toBeLessThan(2);
  });

  test('is gone to when the user sends, and the place is kept per space', async ({ weft, page, ui }) => {
    const { puppet, space } = await weft.puppet();
    await weft.call('UpdateSpace', { spaceId: space.id, title: 'Long' });
    await weft.space('guide', 'Other');
    await weft.open(page);
    const row = (name: string) =>
      ui.spaces.getByRole('listitem').filter({ hasText: name }).getByRole('button').first();
    await row('Long').click();
    await ui.send('go');
    const turn = await puppet.turn();
    for (let i = 0; i < 80; i++) turn.say(paragraph(i));
    turn.end();
    await ui.idle();
    await up(page, 900);
    await expect(page.getByRole('button', { name: 'Go to latest' })).toBeVisible();
    await ui.rests();
    const words = await read(page);
    const before = await words.boundingBox();
    await row('Other').click();
    await expect(page.getByRole('heading', { name: 'What should Guide do?' })).toBeVisible();
    await row('Long').click();
    await expect(words).toBeInViewport();
    await expect
      .poll(async () => Math.abs(((await words.boundingBox())?.y ?? 0) - (before?.y ?? 0)))
      .toBeLessThanOrEqual(2);
    await ui.rests();

    await ui.send('again');
    await expect(ui.transcript.locator('.prompt').filter({ hasText: 'again' })).toBeInViewport();
    (await puppet.turn()).end();
    await ui.idle();
  });

  test('is where a space opens, though banners take from its view', async ({ weft, page, ui }) => {
    const { puppet, space } = await weft.puppet();
    await weft.call('UpdateSpace', { spaceId: space.id, permissions: 'read-only' });
    await weft.open(page);
    await ui.send('go');
    const turn = await puppet.turn();
    for (let i = 0; i < 40; i++) turn.say(paragraph(i));
    const command = 'echo tidy > notes.txt';
    const call = { toolCallId: 'c', title: command, kind: 'execute', rawInput: { command } };
    turn.tool({ ...call, status: 'in_progress' });
    writeFileSync(join(weft.project, 'notes.txt'), 'tidy\n');
    turn.change({ toolCallId: 'c', status: 'completed' });
    for (let i = 40; i < 60; i++) turn.say(paragraph(i));
    turn.end();
    await ui.idle();
    await expect(page.locator('.space-foot .not-asked')).toBeVisible();
    for (let i = 0; i < 6; i++) {
      await page.reload();
      await expect(page.locator('.space-foot .not-asked')).toBeVisible();
      await expect(page.locator('.run-footer')).toBeVisible();
      await ui.rests();
      await expect.poll(() => fromEnd(page), `load ${i}`).toBeLessThan(2);
    }
  });

  test('does not hold who scrolls away from a place that was gone to while an agent writes', async ({
    weft,
    page,
    ui,
  }) => {
    const { puppet, space } = await weft.puppet();
    await weft.call('SendPrompt', { spaceId: space.id, text: 'Begin' });
    const turn = await puppet.turn();
    turn.updates(Array.from({ length: 120 }, (_, i) => chunk(`Line ${i} of pears.\n\n`)));
    await weft.open(page);
    await expect(ui.text('Line 119 of pears.')).toBeInViewport();
    // It writes in each frame until it is told to stop.
    let writes = true;
    const writing = (async () => {
      for (let i = 0; writes; i++) {
        turn.say(`More ${i}. `);
        await ui.frames(1);
      }
    })();
    await page.keyboard.press('Alt+ArrowUp');
    await page.keyboard.press('Alt+ArrowUp');
    await expect(ui.transcript.locator('.prompt')).toBeInViewport();
    await ui.transcript.hover();
    await page.mouse.wheel(0, 700);
    const top = () => ui.transcript.evaluate(({ scrollTop }) => scrollTop);
    await expect.poll(top).toBeGreaterThan(600);
    await ui.frames(40);
    expect(await top()).toBeGreaterThan(600);
    writes = false;
    await writing;
    turn.end();
  });

  test('previous and next message, and the end, by key', async ({ weft, page, ui }) => {
    const { puppet } = await weft.puppet();
    await weft.open(page);
    for (const name of ['one', 'two', 'three']) {
      await ui.send(name);
      const turn = await puppet.turn();
      for (let i = 0; i < 25; i++) turn.say(`${name} ${paragraph(i)}`);
      turn.end();
      await ui.idle();
    }
    const prompt = (text: string) => ui.transcript.locator('.prompt').filter({ hasText: text });
    await expect(prompt('one')).not.toBeInViewport();
    await page.keyboard.press('Alt+ArrowUp');
    await page.keyboard.press('Alt+ArrowUp');
    await expect(prompt('three')).toBeInViewport();
    await page.keyboard.press('Alt+ArrowUp');
    await page.keyboard.press('Alt+ArrowUp');
    await expect(prompt('two')).toBeInViewport();
    await page.keyboard.press('Alt+ArrowDown');
    await page.keyboard.press('Alt+ArrowDown');
    await expect(prompt('three')).toBeInViewport();
    await page.keyboard.press('Control+End');
    await expect.poll(() => fromEnd(page)).toBeLessThan(2);
  });
});
