import { readFile, writeFile } from 'node:fs/promises';
import { accessible } from './support/axe';
import { deep } from './support/deep';
import { callGateway, takesHttp } from './support/gateway';
import { shownMenu } from './support/menu';
import { said, type Turn } from './support/puppet';
import { expect, test } from './support/test';
import { themes } from './support/themes';

// How calls are shown: the menu of a row, hidden calls, the rules in Settings, space tools as displays.

function read(turn: Turn, toolCallId: string, path: string) {
  turn.did({
    toolCallId,
    title: `Read ${path}`,
    kind: 'read',
    _meta: { claudeCode: { toolName: 'Read' } },
    rawInput: { path },
    content: [said('one\ntwo')],
  });
}

for (const theme of themes)
  test.describe(`how calls are shown, in the ${theme}`, () => {
    test.use({ colorScheme: theme });

    test('hides calls by the menu of one, shows them again, and takes it back', async ({
      weft,
      page,
      ui,
    }) => {
      const { puppet } = await weft.puppet('Puppet', takesHttp);
      await weft.open(page);
      await ui.send('What is in the orchard?');
      const turn = await puppet.turn();
      read(turn, 'r1', 'apples.txt');
      read(turn, 'r2', 'pears.txt');
      turn.did({ toolCallId: 'x', title: 'Count the trees', kind: 'execute', content: [said('12 trees')] });
      read(turn, 'r3', 'plums.txt');
      turn.say('Apples and pears.');
      turn.end();
      await ui.idle();
      await ui.group(/./).click();
      const row = (title: string) => ui.transcript.locator('.tool').filter({ hasText: title });
      await expect(row('Read apples.txt')).toBeVisible();

      // By the keyboard: from the row to its button, and into the menu.
      await row('Read apples.txt').locator('.tool-line').focus();
      await page.keyboard.press('Tab');
      const more = page.getByRole('button', { name: 'Actions for Read apples.txt' });
      await expect(more).toBeFocused();
      await expect(more).toHaveCSS('opacity', '1');
      await page.keyboard.press('Enter');
      const menu = page.getByRole('menu');
      await expect(menu.getByRole('menuitemradio', { name: 'Full' })).toBeChecked();
      await ui.picture(`${theme}-looks-menu`);
      await accessible(page, 'the menu of a call', 'all');
      await page.keyboard.press('Escape');
      await expect(menu).toBeHidden();
      await expect(more).toBeFocused();
      await page.keyboard.press('Enter');
      await expect(menu.getByRole('menuitemradio', { name: 'Full' })).toBeFocused();
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('Enter');

      await expect(row('Read')).toHaveCount(0);
      await expect(row('Count the trees')).toBeVisible();
      const hidden = ui.transcript.getByRole('button', { name: '3 hidden calls' });
      await expect(hidden).toBeFocused();
      await expect(ui.notices).toContainText('Calls to Read by Puppet are hidden');
      await ui.picture(`${theme}-looks-hidden`);
      await accessible(page, 'hidden calls', 'all');
      const rules = (JSON.parse(await readFile(weft.settings, 'utf8')) as Record<string, unknown>)[
        'toolCalls'
      ];
      expect(rules).toMatchObject({ rules: [{ tool: 'Read', visibility: 'hidden' }] });

      await page.keyboard.press('Enter');
      await expect(row('Read')).toHaveCount(3);
      await expect(row('Read apples.txt').getByRole('img', { name: 'Hidden' })).toBeVisible();
      await ui.picture(`${theme}-looks-revealed`);
      await ui.transcript.getByRole('button', { name: 'Hide 3 calls again' }).click();
      await expect(row('Read')).toHaveCount(0);

      // A call that fails is shown all the same; another one is hidden as soon as it is there.
      await ui.send('And the rest?');
      const next = await puppet.turn();
      next.did({
        toolCallId: 'f',
        title: 'Read figs.txt',
        kind: 'read',
        status: 'failed',
        _meta: { claudeCode: { toolName: 'Read' } },
        content: [said('no such file')],
      });
      read(next, 'r4', 'quinces.txt');
      next.say('No figs.');
      next.end();
      await ui.idle();
      await expect(row('Read figs.txt')).toBeVisible();
      await expect(row('Read quinces.txt')).toHaveCount(0);
      await expect(ui.transcript.getByRole('button', { name: '1 hidden call' })).toBeVisible();

      // A narrow window has room for the button.
      await page.setViewportSize({ width: 760, height: 800 });
      await row('Read figs.txt').hover();
      const overflow = () =>
        ui.transcript.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth);
      expect(await overflow()).toBe(0);
      await ui.picture(`${theme}-looks-rows-760`);
      await accessible(page, 'hidden calls in a narrow window', 'all');
      await page.setViewportSize({ width: 1280, height: 800 });

      // What comes from the store is drawn by the same rules.
      await page.reload();
      await expect(row('Read figs.txt')).toBeVisible();
      await expect(row('Read quinces.txt')).toHaveCount(0);
      await expect(ui.transcript.getByRole('button', { name: '1 hidden call' })).toBeVisible();

      // As one line, by the other button of the mouse; and undone.
      await row('Read figs.txt').locator('.tool-line').click({ button: 'right' });
      await expect(menu.getByRole('menuitemradio', { name: 'Hidden' })).toBeChecked();
      await menu.getByRole('menuitemradio', { name: 'One line' }).click();
      await ui.group(/Read 2 files/).click();
      await expect(row('Read figs.txt')).toHaveAttribute('data-bare', 'true');
      await expect(row('Read quinces.txt')).toHaveAttribute('data-bare', 'true');
      await ui.notices
        .getByRole('listitem')
        .filter({ hasText: 'are shown as one line' })
        .getByRole('button', { name: 'Undo' })
        .click();
      await expect(row('Read quinces.txt')).toHaveCount(0);

      // Edited by hand, the file holds at once.
      const settings = JSON.parse(await readFile(weft.settings, 'utf8')) as Record<string, unknown>;
      delete settings['toolCalls'];
      await writeFile(weft.settings, JSON.stringify(settings));
      await expect(row('Read quinces.txt')).toBeVisible();
      await expect(ui.transcript.getByRole('button', { name: /hidden call/ })).toHaveCount(0);

      // With a mistake in it nothing is saved, and nothing changes.
      await writeFile(weft.settings, '{');
      await expect(page.getByText('The settings file has a mistake')).toBeVisible();
      await row('Read quinces.txt').hover();
      await page.getByRole('button', { name: 'Actions for Read quinces.txt' }).click();
      await menu.getByRole('menuitemradio', { name: 'Hidden' }).click();
      await expect(ui.notices).toContainText("Couldn't change how these calls are shown");
      await expect(row('Read quinces.txt')).toBeVisible();
    });

    test('lists, adds, changes and removes rules in Settings', deep, async ({ weft, page, ui }) => {
      await weft.puppet('Puppet');
      await weft.open(page);
      await ui.openSettings('Tool calls');
      const section = page.getByRole('region', { name: 'Tool calls' });
      await expect(section).toContainText('No rules yet.');
      await section.getByRole('button', { name: 'Add rule' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByRole('button', { name: 'Add rule' }).click();
      await expect(dialog.getByRole('alert')).toHaveText('Enter a tool name.');
      await dialog.getByLabel('Tool', { exact: true }).fill('readSpaceMessages');
      await dialog.getByLabel('MCP server').selectOption('Weft');
      await ui.picture(`${theme}-looks-form`);
      await accessible(page, 'the form of a rule about calls', 'all');
      await page.keyboard.press('Enter');
      await expect(dialog).toBeHidden();
      const rules = section.getByRole('listitem');
      await expect(rules).toHaveText([/readSpaceMessages.*Weft.*Any agent.*Hidden/s]);
      await section.getByRole('button', { name: 'Add rule' }).click();
      await dialog.getByLabel('Tool', { exact: true }).fill('Read');
      await dialog.getByLabel('Agent').selectOption('Puppet');
      await dialog.getByText('One line').click();
      await dialog.getByRole('button', { name: 'Add rule' }).click();
      await expect(rules).toHaveCount(2);
      await section.getByRole('switch', { name: /Show space tools as displays/ }).check();
      await section.scrollIntoViewIfNeeded();
      await ui.picture(`${theme}-looks-settings`);
      await page.setViewportSize({ width: 760, height: 800 });
      await section.scrollIntoViewIfNeeded();
      await ui.picture(`${theme}-looks-settings-760`);
      await accessible(page, 'rules about calls', theme === 'light' ? 'all' : 'colours');
      await page.setViewportSize({ width: 1280, height: 800 });
      await section.getByRole('button', { name: 'Edit the rule for Read', exact: true }).click();
      await dialog.getByText('Full').click();
      await dialog.getByRole('button', { name: 'Save' }).click();
      await expect(rules.nth(1)).toContainText('Full');
      await section.getByRole('button', { name: 'Delete the rule for Read', exact: true }).click();
      await expect(rules).toHaveCount(1);
      await ui.notices.getByRole('button', { name: 'Undo' }).click();
      await expect(rules).toHaveCount(2);
    });

    test('draws space tools as displays where the user wants that', deep, async ({ weft, page, ui }) => {
      const { puppet, agent } = await weft.actor('Planner', takesHttp);
      const shop = await weft.space(agent.id, 'Shop');
      await weft.space(agent.id, 'Garden');
      await weft.open(page);
      await ui.send('Tell the shop.');
      const turn = await puppet.turn();
      turn.say('I look where the shop is.');
      const calls = async (name: string, args: object) => {
        const toolCallId = `${name}-${args ? Object.keys(args).length : 0}`;
        turn.tool({
          toolCallId,
          title: `mcp__weft__${name}`,
          kind: 'other',
          status: 'in_progress',
          rawInput: args,
        });
        const heard = await callGateway(puppet, name, args);
        turn.change({
          toolCallId,
          status: heard.failed ? 'failed' : 'completed',
          content: [said(heard.text)],
        });
      };
      await calls('listSpaces', {});
      await calls('sendSpaceMessage', { spaceId: shop.id, text: 'Two **laptops**, please.' });
      await calls('readSpaceMessages', { spaceId: shop.id });
      await calls('getMyRuns', {});
      turn.say('The shop knows.');
      turn.end();
      await ui.idle();
      await expect(ui.group(/4 tool calls/)).toBeVisible();
      await weft.call('DrawSpaceTools', { as: 'displays' });
      await expect(ui.transcript.locator('.tool')).toHaveCount(0);
      const message = page.getByRole('region', { name: 'Message to a space: Message to “Shop”' });
      await expect(message).toContainText('Two laptops, please.');
      const spaces = page.getByRole('region', { name: 'Spaces: Spaces' });
      await expect(spaces.getByRole('listitem')).toHaveCount(2);
      await expect(page.getByRole('region', { name: 'Messages: Messages in “Shop”' })).toContainText(
        'Two laptops',
      );
      await expect(page.getByRole('region', { name: 'Agent runs: Agent runs' })).toContainText('Garden');
      await page.setViewportSize({ width: 1280, height: 1500 });
      await ui.picture(`${theme}-looks-displays`);
      await accessible(page, 'space tools as displays', 'all');
      await page.setViewportSize({ width: 760, height: 1500 });
      await ui.picture(`${theme}-looks-displays-760`);
      await page.setViewportSize({ width: 1280, height: 800 });

      await spaces.getByRole('button', { name: /^Actions for/ }).click();
      await shownMenu(page).getByRole('menuitemradio', { name: 'Hidden' }).click();
      await expect(spaces).toHaveCount(0);
      await ui.notices.getByRole('button', { name: 'Undo' }).click();
      await expect(spaces).toBeVisible();
      await message.getByRole('button', { name: 'Go to the message' }).click();
      await expect(ui.text('Two laptops, please.')).toBeVisible();
    });
  });
