import type { Page } from '@playwright/test';
import { faultOfFocus } from './support/focus';
import { draws, takesHttp } from './support/gateway';
import { chunk, type Option, toolCall } from './support/puppet';
import { allow, armed, clickAnswer, pounce, reject } from './support/requests';
import type { Screen } from './support/screen';
import { expect, test } from './support/test';

test.use({ reducedMotion: 'no-preference' });

// A request never takes the keyboard: whoever types continues typing, and what is typed answers nothing.

const options: Option[] = [
  { optionId: 'once', name: 'Allow once', kind: 'allow_once' },
  { optionId: 'always', name: 'Always allow', kind: 'allow_always' },
  { optionId: 'no', name: 'Reject', kind: 'reject_once' },
];
const remove = (id: string) => ({
  toolCallId: id,
  title: 'Clean up',
  kind: 'execute',
  rawInput: { command: `rm -rf ${id}` },
});

test('what is typed into a new space stays in its field, with a panel open', async ({ weft, page, ui }) => {
  const { puppet } = await weft.puppet();
  await weft.open(page);
  const side = page.locator('aside.panel');
  for (const panel of ['Review changes', 'Outline', 'Members'])
    await test.step(panel, async () => {
      await ui.command(panel);
      await expect(side.locator(':focus')).toHaveCount(1);
      await page.keyboard.press('Control+n');
      await page.keyboard.type('How are the apples?');
      await page.keyboard.press('Enter');
      const turn = await puppet.turn();
      await expect(side.locator('section').first()).toBeVisible();
      await page.keyboard.type('Then pick the ripe ones, and count the rest.');
      await expect(ui.composer).toHaveValue('Then pick the ripe ones, and count the rest.');
      await expect(page.getByRole('dialog')).toHaveCount(0);
      turn.end();
      // Who opens a panel is in it.
      await ui.command(panel);
      await expect(side).toHaveCount(0);
      await ui.command(panel);
      await expect(side.locator(':focus')).toHaveCount(1);
      await ui.command(panel);
      await expect(side).toHaveCount(0);
    });
});

test('a permission card', async ({ weft, page, ui }) => {
  const { puppet } = await weft.puppet();
  await weft.open(page);
  await ui.send('go');
  const turn = await puppet.turn();
  /** The agent may hear of an answer before the page takes the card away. */
  const over = async (answer: Promise<string>, want: string, key = '') => {
    expect(await answer, key).toBe(want);
    await expect(ui.permissions).toHaveCount(0);
  };

  await test.step('leaves an empty composer its focus, and answers nothing that is typed there', async () => {
    await ui.composer.focus();
    for (const key of ['Enter', '1', 'Space', 'a']) {
      const answer = turn.ask(remove(`x${key}`), options);
      // The first key while the card comes, the rest once it is there.
      await page.keyboard.press(key);
      await expect(ui.permissions).toHaveCount(1);
      await page.keyboard.press(key);
      await page.keyboard.type(' then run it');
      await expect(ui.composer).toBeFocused();
      await expect(ui.composer).toHaveValue(/ then run it$/);
      await expect(ui.permissions).toHaveCount(1);
      await reject(ui.permissions);
      await over(answer, 'no', key);
      await ui.composer.fill('');
    }
  });

  await test.step('leaves an open dialog its focus, also where the user had asked to see the space', async () => {
    await page.keyboard.press('Control+k');
    const field = ui.palette.getByPlaceholder('Type a command or space name');
    await expect(field).toBeFocused();
    const answer = turn.ask(remove('x'), options);
    await expect(page.locator('.permission')).toHaveCount(1);
    await page.keyboard.type('1 a');
    await expect(field).toBeFocused();
    await expect(field).toHaveValue('1 a');
    await page.keyboard.press('Escape');
    await expect(ui.palette).toBeHidden();
    await reject(ui.permissions);
    await over(answer, 'no');
  });

  await test.step('takes no click when it has just moved under the pointer', async () => {
    const answer = turn.ask(remove('x'), options);
    await armed(ui.permissions);
    const ready = await ui.permissions.evaluate((card) => {
      (card as HTMLElement).style.marginTop = '60px';
      for (const button of card.querySelectorAll<HTMLElement>('button')) button.click();
      return (card as HTMLElement).dataset['armed'];
    });
    expect(ready).toBe('false');
    await page.keyboard.press('Escape');
    await reject(ui.permissions);
    await over(answer, 'no');
  });

  await test.step('is gone to with Ctrl+Shift+J, without Allow having the focus, and a held key answers nothing', async () => {
    const answer = turn.ask(remove('x'), options);
    await expect(ui.permissions).toHaveCount(1);
    await page.keyboard.press('Control+Shift+j');
    await expect(ui.permissions).toBeFocused();
    await expect(ui.permissions).toHaveAccessibleName('Permission required: rm -rf x');
    await armed(ui.permissions);
    // Enter and Space act on the control that has the focus, and the card is none.
    await page.keyboard.press('Enter');
    await page.keyboard.press('Space');
    await expect(ui.permissions).toHaveCount(1);
    // A key that is held down repeats.
    const held = (key: string) =>
      ui.permissions.evaluate((card, pressed) => {
        const target = card.querySelector<HTMLElement>('.answer-allow') ?? (card as HTMLElement);
        target.focus();
        return target.dispatchEvent(
          new KeyboardEvent('keydown', { key: pressed, repeat: true, bubbles: true, cancelable: true }),
        );
      }, key);
    for (const key of ['1', 'Enter', ' ']) expect(await held(key), key).toBe(false);
    await expect(ui.permissions).toHaveCount(1);
    await page.keyboard.press('3');
    await over(answer, 'no');
  });

  await test.step('is neither answered nor cancelled by Esc', async () => {
    const answer = turn.ask(remove('x'), options);
    await expect(ui.permissions).toHaveCount(1);
    await page.keyboard.press('Control+Shift+j');
    await expect(ui.permissions).toBeFocused();
    await page.keyboard.press('Escape');
    await expect(ui.composer).toBeFocused();
    await page.keyboard.press('Escape');
    await ui.transcript.focus();
    await page.keyboard.press('Escape');
    await expect(ui.notices).toContainText("Esc doesn't cancel requests");
    await allow(ui.permissions);
    await over(answer, 'once');
  });

  await test.step('takes no click and no key in the moment in which it appears', async () => {
    await pounce(page, '.permission');
    const answer = turn.ask(remove('x'), options);
    await expect(page.locator('html')).toHaveAttribute('data-pounced', 'true');
    await armed(ui.permissions);
    await reject(ui.permissions);
    await over(answer, 'no');
  });
  turn.end();
});

test.describe('a display that asks', () => {
  test('takes no key and no click that was not meant for it, and Esc leaves it', async ({
    weft,
    page,
    ui,
  }) => {
    const { puppet, space } = await weft.puppet('Robin', takesHttp);
    await weft.open(page);
    await ui.send('go');
    const turn = await puppet.turn();
    await ui.composer.focus();
    await pounce(page, '.display[data-phase=waiting]');
    const answer = draws(turn, puppet, 'showApprovalForm', { title: 'Fell the tree?' }, space);
    const display = ui.transcript.getByRole('region', { name: 'Approval: Fell the tree?' });
    await expect(display).toHaveAttribute('data-phase', 'waiting');
    await page.keyboard.type('1 2');
    await expect(ui.composer).toHaveValue('1 2');
    await expect(display).toHaveAttribute('data-phase', 'waiting');
    await page.keyboard.press('Control+Shift+j');
    await expect(display).toBeFocused();
    await page.keyboard.press('Escape');
    await expect(ui.composer).toBeFocused();
    await page.keyboard.press('Control+Shift+j');
    await armed(display);
    await page.keyboard.press('2');
    expect((await answer).text).toContain('false');
    turn.end();
  });
});

test.describe('a question', () => {
  test('leaves the composer its focus, and takes nothing in the moment in which it appears', async ({
    weft,
    page,
    ui,
  }) => {
    const { puppet } = await weft.puppet();
    await weft.open(page);
    await ui.send('go');
    const turn = await puppet.turn();
    await ui.composer.focus();
    await pounce(page, '.permission.question');
    const answer = turn.request('elicitation/create', {
      mode: 'form',
      message: 'Which tree?',
      requestedSchema: { type: 'object', properties: { tree: { type: 'string' } } },
    });
    const card = ui.transcript.getByRole('region', { name: /^Question: / });
    await expect(card).toBeVisible();
    await page.keyboard.type('1 2');
    await expect(ui.composer).toHaveValue('1 2');
    await page.keyboard.press('Control+Shift+j');
    await page.keyboard.type('apple');
    await page.keyboard.press('Escape');
    await expect(ui.composer).toBeFocused();
    await expect(card).toBeVisible();
    await clickAnswer(card, card.getByRole('button', { name: 'Decline' }));
    expect(await answer).toMatchObject({ action: 'decline' });
    turn.end();
  });
});

test.describe('the inbox', () => {
  test('leads to the card, not to Allow, and a key pressed before the card came gives up the wish', async ({
    weft,
    page,
    ui,
  }) => {
    const { puppet, space } = await weft.puppet();
    await weft.call('UpdateSpace', { spaceId: space.id, title: 'Builds' });
    await weft.space('guide', 'Elsewhere');
    await weft.open(page);
    await ui.spaces
      .getByRole('button', { name: /Builds/ })
      .first()
      .click();
    await ui.send('go');
    const turn = await puppet.turn();
    await ui.spaces
      .getByRole('button', { name: /Elsewhere/ })
      .first()
      .click();
    const first = turn.ask(remove('x'), options);
    await ui.spaces.getByRole('button', { name: /^Needs your answer/ }).click();
    await expect(ui.permissions).toBeFocused();
    await page.keyboard.press('Escape');
    await reject(ui.permissions);
    expect(await first).toBe('no');
    // The next one comes unasked for.
    await ui.composer.focus();
    const second = turn.ask(remove('y'), options);
    await expect(ui.permissions).toHaveCount(1);
    await page.keyboard.type('a1');
    await expect(ui.composer).toHaveValue('a1');
    await reject(ui.permissions);
    expect(await second).toBe('no');
    turn.end();
  });
});

/** Scrolls the conversation up, and goes by Tab to the first or last link that is wholly in view. */
async function goToLink(page: Page, ui: Screen, which: 'first' | 'last', up: number): Promise<string> {
  await ui.transcript.focus();
  for (let i = 0; i < up; i++) await page.keyboard.press('ArrowUp');
  await ui.rests();
  const name = await ui.transcript.evaluate((log, last) => {
    const view = log.getBoundingClientRect();
    const seen = [...log.querySelectorAll<HTMLElement>('a')].filter((link) => {
      const { top, bottom } = link.getBoundingClientRect();
      return top >= view.top + 4 && bottom <= view.bottom - 4;
    });
    const link = last ? seen.at(-1) : seen[0];
    link?.focus({ preventScroll: true });
    return link?.textContent ?? '';
  }, which === 'last');
  await expect(page.getByRole('link', { name, exact: true })).toBeFocused();
  expect(await page.evaluate(faultOfFocus)).toBe('');
  return name;
}

const inView = (page: Page) => expect.poll(() => page.evaluate(faultOfFocus)).toBe('');

test.describe('what has the focus in the conversation', () => {
  const lines = Array.from({ length: 30 }, (_, i) => `Row ${i}: [tree ${i}](https://example.test/${i}).\n\n`);

  for (const [where, which, up] of [
    ['at the top, the end in view,', 'first', 0],
    ['at the bottom', 'last', 4],
  ] as const)
    test(`${where} stays in view while the queue grows`, async ({ weft, page, ui }) => {
      const { puppet, space } = await weft.puppet();
      await weft.open(page);
      await ui.send('go');
      const turn = await puppet.turn();
      turn.say(lines.join(''));
      await expect(ui.text('tree 29')).toBeInViewport();
      const name = await goToLink(page, ui, which, up);
      for (let i = 0; i < 6; i++) {
        await weft.call('SendPrompt', { spaceId: space.id, text: `Water bed ${i}` });
        await expect(ui.queue).toContainText(`Water bed ${i}`);
        await inView(page);
      }
      await ui.rests();
      await inView(page);
      await expect(page.getByRole('link', { name, exact: true })).toBeFocused();
      turn.end();
    });

  test('stays in view while the answer grows, and the end is followed until then', async ({
    weft,
    page,
    ui,
  }) => {
    const { puppet } = await weft.puppet();
    await weft.open(page);
    await ui.send('go');
    const turn = await puppet.turn();
    turn.say(lines.join(''));
    await expect(ui.text('tree 29')).toBeInViewport();
    await ui.rests();
    const name = await goToLink(page, ui, 'last', 0);
    for (let i = 0; i < 5; i++) turn.say(`More of row ${i}.\n\n`);
    await expect(ui.text('More of row 4')).toBeInViewport();
    for (let i = 5; i < 60; i++) turn.say(`More of row ${i}.\n\n`);
    await expect(page.getByRole('button', { name: 'New messages' })).toBeVisible();
    await inView(page);
    await expect(page.getByRole('link', { name, exact: true })).toBeFocused();
    // Asked for, the end is gone to, and what had the focus is left.
    await page.keyboard.press('Control+End');
    await expect(ui.text('More of row 59')).toBeInViewport();
    for (let i = 60; i < 90; i++) turn.say(`More of row ${i}.\n\n`);
    await expect(ui.text('More of row 89')).toBeInViewport();
    turn.end();
  });

  test('does not hold back who goes to the end from a place that had it', async ({ weft, page, ui }) => {
    const { puppet, space } = await weft.puppet();
    await weft.call('SendPrompt', { spaceId: space.id, text: 'Read all of it' });
    const before = await puppet.turn();
    before.updates(
      Array.from({ length: 200 }, (_, i) =>
        i % 2 === 0
          ? chunk(`Segment ${i} says a line or so about apples.`)
          : toolCall({ toolCallId: `t${i}`, title: `Read ${i}`, kind: 'read', status: 'completed' }),
      ),
    );
    before.end();
    await weft.open(page);
    await ui.idle();
    await ui.send('go');
    const turn = await puppet.turn();
    const { messageId, segment } = await weft.placeOf(space, 'Segment 20 says');
    await page.evaluate((to) => {
      window.location.hash = to;
    }, `#/space/${space.id}/${messageId}.${segment}`);
    await expect(ui.transcript.locator('[data-kind=prose]:focus')).toContainText('Segment 20 says');
    await page.keyboard.press('Control+End');
    await expect(ui.transcript.locator('[data-kind=prose]:focus')).toHaveCount(0);
    for (let i = 0; i < 40; i++) turn.say(`More of row ${i}.\n\n`);
    await expect(ui.text('More of row 39')).toBeInViewport();
    await expect(page.getByRole('button', { name: /^(Go to latest|New messages)/ })).toHaveCount(0);
    await expect(ui.transcript).toBeFocused();
    turn.end();
  });

  test('stays away once the user has scrolled it away', async ({ weft, page, ui }) => {
    const { puppet, space } = await weft.puppet();
    await weft.open(page);
    await ui.send('go');
    const turn = await puppet.turn();
    turn.say(lines.join(''));
    await expect(ui.text('tree 29')).toBeInViewport();
    const name = await goToLink(page, ui, 'last', 4);
    const link = page.getByRole('link', { name, exact: true });
    await page.keyboard.press('PageUp');
    await expect(link).not.toBeInViewport();
    await ui.rests();
    const top = () => ui.transcript.evaluate((log) => log.scrollTop);
    const before = await top();
    await weft.call('SendPrompt', { spaceId: space.id, text: 'Water the beds' });
    await expect(ui.queue).toContainText('Water the beds');
    await page.keyboard.press('Control+k');
    await expect(ui.palette).toBeVisible();
    await page.keyboard.press('Escape');
    await expect(link).toBeFocused();
    await ui.rests();
    expect(await top()).toBe(before);
    turn.end();
  });
});

test('the form of a prompt stays in view where the user comes back to it from the end', async ({
  weft,
  page,
  ui,
}) => {
  const { puppet, space } = await weft.puppet();
  for (const text of ['Plant pears', 'Plant plums']) {
    await weft.call('SendPrompt', { spaceId: space.id, text });
    const turn = await puppet.turn();
    for (let i = 0; i < 40; i++) turn.say(`Row ${i} of [trees](https://example.test/).\n\n`);
    turn.end();
    await expect.poll(async () => (await weft.call('OpenSpace', { spaceId: space.id })).runs).toEqual([]);
  }
  await weft.open(page);
  await ui.idle();
  const prompt = ui.transcript.locator('.prompt').filter({ hasText: 'Plant pears' });
  const editor = page.getByRole('textbox', { name: 'Edit your prompt' });
  await ui.transcript.focus();
  for (let i = 0; i < 4; i++) {
    await page.keyboard.press('Alt+ArrowUp');
    await ui.rests();
  }
  await expect(prompt).toBeFocused();
  await page.keyboard.press('e');
  await expect(editor).toBeFocused();
  await inView(page);
  // As fast as keys are pressed: what the end is followed with comes after them.
  for (let i = 0; i < 4; i++) {
    for (const key of ['Shift+Tab', 'End', 'Tab']) await page.keyboard.press(key);
    await expect(editor).toBeFocused();
    await inView(page);
    await ui.rests();
    await inView(page);
  }
  for (const key of ['Shift+Tab', 'End', 'Tab', 'Escape']) await page.keyboard.press(key);
  await expect(prompt).toBeFocused();
  await inView(page);
});

test('a toast waits while keys have the focus in it, and gives it back', async ({ weft, page, ui }) => {
  await weft.puppet();
  await weft.space('guide', 'Apples');
  await weft.open(page);
  const toasts = page.locator('[data-sonner-toast]');
  const archive = async () => {
    await ui.command('Archive this space');
    await expect(toasts.first()).toBeVisible();
  };
  await archive();
  await expect(ui.composer).toBeFocused();
  await page.keyboard.press('Alt+t');
  await expect(toasts.first()).toBeFocused();
  await inView(page);
  await page.keyboard.press('Tab');
  const undo = toasts.getByRole('button', { name: 'Undo' });
  await expect(undo).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(toasts).toHaveCount(0);
  await expect(ui.composer).toBeFocused();
  await inView(page);
});

test('of many toasts, Tab leads to those that are seen', async ({ weft, page, ui }) => {
  const { puppet } = await weft.puppet();
  await weft.open(page);
  await ui.send('go');
  const turn = await puppet.turn();
  turn.say('Ripe.');
  turn.end();
  await ui.idle();
  await ui.transcript.focus();
  const toasts = page.locator('[data-sonner-toast]');
  // They wait while the focus is in one of them.
  for (let n = 1; n <= 5; n++) {
    await page.keyboard.press('y');
    await expect(toasts).toHaveCount(n);
    await page.keyboard.press('Alt+t');
    await expect(toasts.first()).toBeFocused();
  }
  for (let i = 0; i < 5; i++) {
    await page.keyboard.press('Tab');
    await expect(page.locator('[data-sonner-toast]:not([data-visible=true]):focus')).toHaveCount(0);
  }
});

test('what Tab leads to is not below the search in the conversation', async ({ weft, page, ui }) => {
  const { puppet, space } = await weft.puppet();
  for (const text of ['Plant pears', 'Plant plums']) {
    await weft.call('SendPrompt', { spaceId: space.id, text });
    const turn = await puppet.turn();
    turn.say(
      Array.from({ length: 40 }, (_, i) => `Row ${i}: [tree ${i}](https://example.test/).\n\n`).join(''),
    );
    turn.end();
    await expect.poll(async () => (await weft.call('OpenSpace', { spaceId: space.id })).runs).toEqual([]);
  }
  await weft.open(page);
  await ui.idle();
  await ui.transcript.focus();
  const prompt = ui.transcript.locator('.prompt').filter({ hasText: 'Plant plums' });
  for (let i = 0; i < 2; i++) {
    await page.keyboard.press('Alt+ArrowUp');
    await ui.rests();
  }
  await expect(prompt).toBeFocused();
  await page.keyboard.press('Control+f');
  await expect(page.locator('.find-field')).toBeFocused();
  await prompt.evaluate((one: HTMLElement) => one.focus({ preventScroll: true }));
  // What the prompt has on its right is below the search.
  await ui.transcript.evaluate((log) => log.scrollBy(0, 14));
  for (const name of ['Edit', 'Undo', 'Copy link', 'Export']) {
    await page.keyboard.press('Tab');
    await expect(prompt.getByRole('button', { name })).toBeFocused();
    await inView(page);
  }
});

test('Tab leads out of a menu that also opens where one clicks', async ({ weft, page, ui }) => {
  const { puppet } = await weft.puppet();
  await weft.open(page);
  await ui.send('go');
  const turn = await puppet.turn();
  turn.did({ toolCallId: 'a', title: 'Read', kind: 'read' });
  turn.did({ toolCallId: 'b', title: 'Weigh', kind: 'other' });
  turn.say('See `src/apples.js`.');
  turn.end();
  await ui.idle();
  await ui.group(/./).click();
  const actions = ui.transcript.getByRole('button', { name: /^Actions for / });
  const place = ui.transcript.getByRole('link', { name: 'src/apples.js' });
  for (const [from, key] of [
    [actions.first(), 'Enter'],
    [actions.last(), 'Enter'],
    [actions.first(), 'ContextMenu'],
    [place, 'Shift+F10'],
  ] as const) {
    await from.focus();
    await page.keyboard.press(key);
    await expect(page.getByRole('menu').locator(':focus')).toHaveCount(1);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Tab');
    await expect(page.getByRole('menu')).toHaveCount(0);
    await expect(from).not.toBeFocused();
    await inView(page);
    await page.keyboard.press('Shift+Tab');
    await expect(from).toBeFocused();
  }
});
