import type { Page } from '@playwright/test';
import type { Screen } from './support/screen';
import { expect, test } from './support/test';

// What is typed into the message field stays: earlier prompts do not replace it, and undo knows every insertion.

const draft = 'The first line of a thought\nand the second one';

/** Leaves three prompts in the history. */
async function threePrompts(ui: Screen) {
  for (const text of ['one', 'two', 'three']) {
    await ui.send(text);
    await ui.idle();
  }
}

async function write(page: Page, text: string) {
  for (const [i, line] of text.split('\n').entries()) {
    if (i > 0) await page.keyboard.press('Shift+Enter');
    await page.keyboard.type(line);
  }
}

/** Sets the draft aside for the last prompt, by the arrow key alone. */
async function recall(page: Page, ui: Screen, prompt = 'three') {
  await ui.composer.focus();
  for (let i = 0; i < 6 && (await ui.composer.inputValue()) !== prompt; i++)
    await page.keyboard.press('ArrowUp');
  await expect(ui.composer).toHaveValue(prompt);
}

const saved = (page: Page) => page.waitForTimeout(1200);

test.describe('a draft that an earlier prompt sets aside', () => {
  test.beforeEach(async ({ weft, page, ui }) => {
    await weft.space('guide', 'Apples');
    await weft.space('guide', 'Pears');
    await weft.open(page);
    await page
      .getByRole('link', { name: /Apples/ })
      .or(ui.spaces.getByRole('button', { name: /Apples/ }))
      .first()
      .click();
    await threePrompts(ui);
    await ui.composer.focus();
    await write(page, draft);
    await recall(page, ui);
  });

  test('is there after a reload, in another tab, and after another space was open', async ({
    page,
    ui,
    context,
  }) => {
    await saved(page);
    const tab = await context.newPage();
    await tab.goto(page.url());
    await expect(tab.getByRole('textbox', { name: /^Message / })).toHaveValue(draft);
    await tab.close();
    await ui.spaces.getByText('Pears').first().click();
    await expect(page.getByRole('heading', { name: 'Pears', level: 1 })).toBeVisible();
    await ui.spaces.getByText('Apples').first().click();
    await expect(page.getByRole('heading', { name: 'Apples', level: 1 })).toBeVisible();
    await expect(ui.composer).toHaveValue(draft);
    await recall(page, ui);
    await page.reload();
    await expect(ui.composer).toHaveValue(draft);
  });

  test('comes back when the earlier prompt is sent', async ({ page, ui }) => {
    await page.keyboard.press('Enter');
    await expect(ui.composer).toHaveValue(draft);
    // The list draws what is in view: the earlier one may be scrolled away.
    await expect(ui.transcript.getByText('three', { exact: true }).last()).toBeVisible();
    await ui.idle();
    await page.reload();
    await expect(ui.composer).toHaveValue(draft);
    // What is sent itself is gone.
    await ui.composer.press('Control+End');
    await page.keyboard.press('Enter');
    await expect(ui.composer).toHaveValue('');
    await saved(page);
    await page.reload();
    await expect(page.getByRole('article', { name: 'You', exact: true }).last()).toBeVisible();
    await expect(ui.composer).toHaveValue('');
  });

  test('is one key away after the earlier prompt was changed, and so is that', async ({ page, ui }) => {
    await page.keyboard.type('!');
    await page.keyboard.press('ArrowDown');
    await expect(ui.composer).toHaveValue(draft);
    await recall(page, ui, 'three!');
    await saved(page);
    await page.reload();
    await expect(ui.composer).toHaveValue(draft);
    await ui.composer.focus();
    await ui.composer.press('Control+Home');
    await page.keyboard.press('ArrowUp');
    await expect(ui.composer).toHaveValue('three!');
    await page.keyboard.press('Enter');
    await expect(ui.composer).toHaveValue(draft);
    await expect(ui.transcript.getByText('three!', { exact: true })).toBeVisible();
  });
});

test.describe('undo in the message field', () => {
  test('knows mentions and commands as one step', async ({ weft, page, ui }) => {
    await weft.puppet('Robin');
    await weft.open(page);
    await ui.composer.pressSequentially('Compare @appl');
    await expect(page.getByRole('listbox').getByRole('option').first()).toContainText('apples.js');
    await page.keyboard.press('Enter');
    await expect(ui.composer).toHaveValue('Compare @src/apples.js ');
    await page.keyboard.type('now');
    await page.keyboard.press('Control+z');
    await expect(ui.composer).toHaveValue('Compare @src/apples.js ');
    await page.keyboard.press('Control+z');
    await expect(ui.composer).toHaveValue('Compare @appl');
    await page.keyboard.press('Escape');
    await page.keyboard.press('Control+Shift+z');
    await expect(ui.composer).toHaveValue('Compare @src/apples.js ');
  });

  test('brings back what was sent, and what a recalled prompt has replaced', async ({ weft, page, ui }) => {
    await weft.space('guide', 'Apples');
    await weft.open(page);
    await ui.composer.focus();
    await page.keyboard.type('sent words');
    await page.keyboard.press('Enter');
    await expect(ui.composer).toHaveValue('');
    await ui.idle();
    await page.keyboard.press('Control+z');
    await expect(ui.composer).toHaveValue('sent words');
    await page.keyboard.press('Control+Shift+z');
    await expect(ui.composer).toHaveValue('');
    await page.keyboard.press('Control+Shift+z');
    await expect(ui.composer).toHaveValue('');
    await page.keyboard.type('draft');
    await page.keyboard.press('Home');
    await page.keyboard.press('ArrowUp');
    await expect(ui.composer).toHaveValue('sent words');
    await page.keyboard.press('Control+z');
    await expect(ui.composer).toHaveValue('draft');
    await page.keyboard.press('Control+Shift+z');
    await expect(ui.composer).toHaveValue('sent words');
    // The next key can come at once.
    const selected = await ui.composer.evaluate(async (field: HTMLTextAreaElement) => {
      document.execCommand('undo');
      await Promise.resolve();
      return field.value.slice(field.selectionStart, field.selectionEnd);
    });
    expect(selected).toBe('');
    await expect(ui.composer).toHaveValue('draft');
    await page.keyboard.type('ed');
    await expect(ui.composer).toHaveValue(/^(edd|d)raft(ed)?$/);
    await saved(page);
    const text = await ui.composer.inputValue();
    await page.reload();
    await expect(ui.composer).toHaveValue(text);
  });

  test('takes a quote out again, and leaves what was typed', async ({ weft, page, ui }) => {
    const { puppet } = await weft.puppet('Robin');
    await weft.open(page);
    await ui.send('Explain');
    const turn = await puppet.turn();
    turn.say('An empty basket counts as one.\n');
    turn.end();
    await ui.idle();
    await ui.composer.focus();
    await page.keyboard.type('My own words');
    await page.evaluate(() => {
      const range = document.createRange();
      range.selectNodeContents(document.querySelector('[data-kind=prose] p') as Node);
      document.getSelection()?.removeAllRanges();
      document.getSelection()?.addRange(range);
    });
    await page.getByRole('button', { name: 'Quote' }).click();
    await expect(ui.composer).toHaveValue(/^My own words\n\n[\s\S]*An empty basket/);
    await page.keyboard.press('Control+z');
    await expect(ui.composer).toHaveValue('My own words');
    // What was typed is one step or several, as the browser has it.
    await expect(async () => {
      await page.keyboard.press('Control+z');
      await expect(ui.composer).toHaveValue('', { timeout: 100 });
    }).toPass();
  });
});

test('a prompt that could not be sent is not lost where something else is written by then', async ({
  weft,
  page,
  ui,
}) => {
  await weft.space('guide', 'Apples');
  await weft.open(page);
  let fail = () => {};
  const failing = new Promise<void>((resolve) => {
    fail = resolve;
  });
  await page.route('**/api/SendPrompt', async (route) => {
    await failing;
    await route.continue({ postData: JSON.stringify({ spaceId: 'gone', text: 'lost' }) });
  });
  await ui.composer.focus();
  await page.keyboard.type('lost on the way');
  await page.keyboard.press('Enter');
  await expect(ui.composer).toHaveValue('');
  await page.keyboard.type('next');
  fail();
  await expect(ui.notices).toContainText("Couldn't send the prompt");
  await expect(ui.composer).toHaveValue('next');
  await page.keyboard.press('Home');
  await page.keyboard.press('ArrowUp');
  await expect(ui.composer).toHaveValue('lost on the way');
});
