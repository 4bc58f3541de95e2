import type { Page } from '@playwright/test';
import { accessible } from './support/axe';
import { shownMenu } from './support/menu';
import { expect, test } from './support/test';

const models = Array.from({ length: 40 }, (_, i) => ({
  value: `m${i}`,
  name: `Model ${i}`,
  description: i === 7 ? 'The seventh, and the fastest' : undefined,
}));

const offers = () => ({
  options: [
    { id: 'fast', name: 'Fast answers', description: 'Less thinking', type: 'boolean', currentValue: false },
    {
      id: 'mode',
      name: 'Mode',
      category: 'mode',
      type: 'select',
      currentValue: 'ask',
      options: [
        { value: 'ask', name: 'Ask', description: 'Asks before every change' },
        { value: 'code', name: 'Code', description: 'Changes files by itself' },
        { value: 'refused', name: 'Anything goes' },
      ],
    },
    { id: 'model', name: 'Model', category: 'model', type: 'select', currentValue: 'm3', options: models },
    {
      id: 'effort',
      name: 'Effort',
      category: 'thought_level',
      type: 'select',
      currentValue: 'low',
      options: [
        { value: 'low', name: 'Low' },
        { value: 'high', name: 'High' },
      ],
    },
  ],
  hello: [
    {
      sessionUpdate: 'available_commands_update',
      availableCommands: [
        { name: 'plan', description: 'Make a plan first', input: { hint: 'what to plan' } },
        { name: 'review', description: 'Look at the last change' },
        { name: 'tests', description: 'Run and explain the tests' },
      ],
    },
  ],
});

/** The button of how much the agent may do. */
const mayDo = (page: Page) => page.getByRole('button', { name: /^Permissions: / });

test.describe('what a session offers', () => {
  test('is there before the first prompt, set by mouse, and kept', async ({ weft, page, ui }) => {
    const { puppet } = await weft.puppet('Robin', offers());
    await weft.open(page);
    const model = page
      .getByRole('button', { name: /^Model: / })
      .or(page.getByRole('combobox', { name: /^Model: / }));
    await expect(model).toHaveText('Model 3');
    const mode = mayDo(page);
    await mode.click();
    const menu = shownMenu(page);
    await expect(menu.getByRole('menuitemradio', { name: /^Ask/ })).toHaveAttribute('aria-checked', 'true');
    // Whose each part is, and what they come to.
    await expect(menu.getByRole('group').nth(0)).toContainText('Weft: when the agent asks');
    await expect(menu.getByRole('group').filter({ hasText: 'Robin: Mode' })).toHaveCount(1);
    await expect(menu).toContainText(
      'Robin asks before it changes anything. Your rules answer first, then you.',
    );
    await accessible(page, 'the menu of modes', 'all');
    await menu.getByRole('menuitemradio', { name: /^Code/ }).click();
    await expect(mode).toHaveText('Follow rules · Code');
    await expect
      .poll(() => puppet.calls.filter((name) => name === 'session/set_config_option'))
      .toHaveLength(1);
    // What the agent refuses is told, and does not stay.
    await mode.click();
    await expect(menu).toContainText('Robin may edit files and run commands without asking.');
    await menu.getByRole('menuitemradio', { name: 'Anything goes' }).click();
    await expect(ui.notices).toContainText("Couldn't change Mode");
    await expect(ui.notices).toContainText('Not with this licence');
    await expect(mode).toHaveText('Follow rules · Code');
    // Another window sees the same.
    await page.reload();
    await expect(mode).toHaveText('Follow rules · Code');
    expect(puppet.starts).toBe(1);
  });

  test('comes without moving what is there', async ({ weft, page, ui }) => {
    await weft.actor('Robin', offers());
    await weft.open(page);
    // Where each control of the foot was in each frame.
    await page.evaluate(() => {
      const seen: Record<string, number[]> = {};
      Object.assign(window, { seen });
      const look = () => {
        for (const one of document.querySelectorAll(
          '.space-foot .composer-foot :is(button, [role=combobox])',
        )) {
          const name = (one.getAttribute('aria-label') ?? '').split(':')[0] ?? '';
          const at = Math.round(one.getBoundingClientRect().x);
          seen[name] ??= [];
          if (!seen[name].includes(at)) seen[name].push(at);
        }
        requestAnimationFrame(look);
      };
      look();
    });
    await page.getByRole('button', { name: 'Open space' }).click();
    await expect(page.getByRole('button', { name: /^Permissions: .*Robin: Ask/ })).toBeVisible();
    await expect(ui.composer).toBeVisible();
    await ui.frames(30);
    const seen = await page.evaluate(() => (window as unknown as { seen: Record<string, number[]> }).seen);
    expect(Object.keys(seen)).toEqual(
      expect.arrayContaining(['Attach files', 'Permissions', 'Model', 'Send']),
    );
    for (const [name, places] of Object.entries(seen)) expect(places, name).toHaveLength(1);
  });

  test('is chosen by keys alone, also among many', async ({ weft, page, ui }) => {
    const { puppet } = await weft.puppet('Robin', offers());
    await weft.open(page);
    await expect(page.locator('.option-trigger').first()).toHaveText('Model 3');
    await ui.composer.focus();
    await page.keyboard.press('Control+;');
    const search = page.getByPlaceholder('Search Model');
    await expect(search).toBeFocused();
    await page.keyboard.type('odel 7');
    await expect(page.getByRole('option')).toHaveCount(1);
    await accessible(page, 'the list of models', 'all');
    await page.keyboard.press('Enter');
    await expect(page.locator('.option-trigger').first()).toHaveText('Model 7');
    await expect
      .poll(() => puppet.calls.filter((name) => name === 'session/set_config_option'))
      .toHaveLength(1);
    await page.getByRole('button', { name: 'More agent options' }).focus();
    await page.keyboard.press('Enter');
    const fast = shownMenu(page).getByRole('menuitemcheckbox', { name: /Fast answers/ });
    await expect(fast).toHaveAttribute('aria-checked', 'false');
    await expect(fast).toBeFocused(); // before that, Enter is the button's, and closes the menu
    await page.keyboard.press('Enter');
    await expect(fast).toHaveAttribute('aria-checked', 'true');
    await page.keyboard.press('Escape');
    await expect(fast).toBeHidden();
  });

  test('has the keys for itself while its choices are open', async ({ weft, page, ui }) => {
    await weft.puppet('Robin', offers());
    await weft.open(page);
    const mode = mayDo(page);
    // The agent's own choices come once it has started.
    await expect(mode).toHaveText('Follow rules · Ask');
    await mode.focus();
    await page.keyboard.press('Enter');
    const list = shownMenu(page);
    await expect(list.getByRole('menuitemradio', { name: /^Always ask/ })).toBeFocused();
    // What opens beside the conversation would take the focus, and leave the choices over the page.
    await page.keyboard.press('Control+Shift+g');
    await page.keyboard.press('c');
    await expect(list.getByRole('menuitemradio', { name: /^Code/ })).toBeFocused();
    await expect(ui.composer).toHaveValue('');
    await page.keyboard.press('Escape');
    await expect(list).toBeHidden();
    await expect(mode).toBeFocused();
  });

  test('follows what the agent changes by itself', async ({ weft, page, ui }) => {
    const { puppet } = await weft.puppet('Robin', offers());
    await weft.open(page);
    await ui.send('go');
    const turn = await puppet.turn();
    turn.update({ sessionUpdate: 'current_mode_update', currentModeId: 'code' });
    await expect(mayDo(page)).toHaveText('Follow rules · Code');
    turn.end();
    await ui.idle();
  });

  test('an agent that cannot start says so before a prompt is written', async ({ weft, page }) => {
    const agent = await weft.script('Robin', 'refuses.mjs');
    await weft.space(agent.id, 'Apples');
    await weft.open(page);
    await expect(page.getByText(/Robin isn't ready\./)).toBeVisible();
    await accessible(page, 'an agent that is not ready', 'all');
    await page.getByRole('button', { name: 'Try again' }).click();
    await expect(page.getByText(/Robin isn't ready\./)).toBeVisible();
  });
});

test.describe('slash commands', () => {
  test('complete by keys, with what they want to be told', async ({ weft, page, ui }) => {
    const { puppet } = await weft.puppet('Robin', offers());
    await weft.open(page);
    await expect(page.locator('.option-trigger').first()).toBeVisible();
    await ui.composer.focus();
    await page.keyboard.type('/');
    const list = page.getByRole('listbox', { name: 'Suggestions' });
    await expect(list.getByRole('option')).toHaveCount(3);
    await accessible(page, 'the list of commands', 'all');
    await page.keyboard.press('ArrowDown');
    await expect(list.getByRole('option', { name: /review/ })).toHaveAttribute('aria-selected', 'true');
    await page.keyboard.type('pl');
    await expect(list.getByRole('option').first()).toContainText('/plan');
    await page.keyboard.press('Enter');
    await expect(ui.composer).toHaveValue('/plan ');
    await expect(list).toBeHidden();
    await expect(page.getByText('what to plan')).toBeVisible();
    await page.keyboard.type('the orchard');
    await page.keyboard.press('Enter');
    const turn = await puppet.turn();
    expect(turn.text).toBe('/plan the orchard');
    turn.end();
    await ui.idle();
  });

  test('a command written in full is sent at once; Escape leaves the list, not the text', async ({
    weft,
    page,
    ui,
  }) => {
    const { puppet } = await weft.puppet('Robin', offers());
    await weft.open(page);
    await expect(page.locator('.option-trigger').first()).toBeVisible();
    await ui.composer.focus();
    await page.keyboard.type('/re');
    const list = page.getByRole('listbox', { name: 'Suggestions' });
    await expect(list).toBeVisible();
    await page.keyboard.press('Escape');
    await expect(list).toBeHidden();
    await expect(ui.composer).toHaveValue('/re');
    await page.keyboard.type('view');
    await page.keyboard.press('Enter');
    expect((await puppet.turn()).text).toBe('/review');
  });

  test('by mouse', async ({ weft, page, ui }) => {
    await weft.puppet('Robin', offers());
    await weft.open(page);
    await expect(page.locator('.option-trigger').first()).toBeVisible();
    await ui.composer.fill('/');
    await page.getByRole('option', { name: /tests/ }).click();
    await expect(ui.composer).toHaveValue('/tests ');
    await expect(ui.composer).toBeFocused();
  });
});
