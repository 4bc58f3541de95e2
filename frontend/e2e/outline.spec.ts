import { accessible } from './support/axe';
import { chunk } from './support/puppet';
import { expect, test } from './support/test';

test.describe('the outline', () => {
  test.setTimeout(120_000);

  test('lists what one may want to go to, jumps there, and follows the scroll', async ({
    weft,
    page,
    ui,
  }) => {
    const { puppet, space } = await weft.puppet();
    for (let n = 0; n < 6; n++) {
      await weft.call('SendPrompt', { spaceId: space.id, text: `Prompt number ${n}\nwith more` });
      const turn = await puppet.turn();
      turn.updates(Array.from({ length: 40 }, (_, i) => chunk(`Line ${n}.${i} of pears.\n\n`)));
      turn.did({
        ...{ toolCallId: `e${n}`, title: `Edit file-${n}.txt`, kind: 'edit' },
        locations: [{ path: `${weft.project}/src/file-${n}.txt` }],
      });
      if (n === 2) turn.tool({ toolCallId: 'f', title: 'Run the tests', kind: 'execute', status: 'failed' });
      turn.say('Done.');
      turn.end();
      await expect.poll(async () => (await weft.call('OpenSpace', { spaceId: space.id })).runs).toEqual([]);
    }
    await weft.open(page);
    await expect(ui.text('Done.').last()).toBeInViewport();
    await page.keyboard.press('Control+Shift+g');
    const panel = page.getByRole('region', { name: 'Outline' });
    const entries = panel.getByRole('option');
    const list = panel.getByRole('listbox', { name: 'Outline' });
    await expect(list).toBeFocused();
    await expect(entries.filter({ hasText: 'Prompt number' })).toHaveCount(6);
    await expect(entries.filter({ hasText: 'file-3.txt' })).toHaveCount(1);
    // The last one is where the user reads.
    await expect(entries.last()).toHaveAttribute('aria-selected', 'true');
    await ui.picture('outline');

    await panel.getByRole('button', { name: 'Failures' }).click();
    await expect(entries).toHaveText([/Run the tests/]);
    await entries.first().click();
    await expect(ui.tool('Run the tests')).toBeInViewport();
    await expect(ui.tool('Run the tests')).toBeFocused();
    await panel.getByRole('button', { name: 'Prompts' }).click();
    await expect(entries).toHaveCount(6);
    await expect(entries.nth(2)).toHaveAttribute('aria-selected', 'true');

    // By keys.
    await list.focus();
    await page.keyboard.press('Home');
    await page.keyboard.press('ArrowDown');
    await expect(entries.nth(1)).toHaveAttribute('aria-selected', 'true');
    await page.keyboard.press('Enter');
    await expect(ui.transcript.locator('.prompt').filter({ hasText: 'Prompt number 1' })).toBeInViewport();
    await expect(ui.transcript.locator('.prompt').filter({ hasText: 'Prompt number 1' })).toBeFocused();

    // Updated as it is written.
    await panel.getByRole('button', { name: 'All' }).click();
    await ui.send('One more');
    const turn = await puppet.turn();
    await expect(entries.filter({ hasText: 'One more' })).toHaveCount(1);
    turn.tool({ toolCallId: 'g', title: 'Break it', kind: 'execute', status: 'failed' });
    await expect(entries.filter({ hasText: 'Break it' })).toHaveCount(1);
    turn.end();
    await ui.idle();
    await accessible(page, 'the outline');
    await list.focus();
    await page.keyboard.press('Escape');
    await expect(panel).toBeHidden();

    // The rail has the same for the mouse.
    const ticks = page.locator('.rail-tick');
    await expect(ticks.first()).toBeVisible();
    await ticks.first().hover();
    await expect(page.locator('.rail-preview')).toContainText('Prompt number 0');
    await ui.picture('outline-rail');
    await ticks.first().click();
    await expect(ui.transcript.locator('.prompt').filter({ hasText: 'Prompt number 0' })).toBeInViewport();
    await expect(ticks.first()).toHaveAttribute('data-reads', 'true');
    await page.setViewportSize({ width: 900, height: 700 });
    await expect(ticks.first()).toBeHidden();
  });
});
