import { existsSync } from 'node:fs';
import type { Page } from '@playwright/test';
import { accessible } from './support/axe';
import { shownMenu } from './support/menu';
import type { Turn } from './support/puppet';
import { allow } from './support/requests';
import { expect, test } from './support/test';
import { themes } from './support/themes';

// A sandbox is offered for an agent that acts without asking, once.

test.skip(!existsSync('/usr/bin/bwrap'), 'bubblewrap is not installed');

const offer = (page: Page) => page.getByRole('region', { name: 'Sandbox for Robin' });
const call = (command: string) => ({
  toolCallId: command,
  title: command,
  kind: 'execute',
  rawInput: { command },
});

/** Runs a command without asking. */
function act(turn: Turn, command: string) {
  turn.say('I clean up first.');
  turn.did(call(command));
  turn.say('It is clean now, and the build can start from nothing.');
  turn.end();
}

for (const theme of themes) {
  test.describe(`in the ${theme}`, () => {
    test.use({ colorScheme: theme });

    test('offers a sandbox beside what is written, and turns it on by keyboard', async ({
      weft,
      page,
      ui,
    }) => {
      const { puppet, agent } = await weft.puppet();
      await weft.open(page);
      await ui.send('Build it again');
      await ui.composer.fill('And then');
      act(await puppet.turn(), 'rm -rf build && echo "\u202edone"');
      await expect(offer(page)).toContainText(
        'Robin ran rm -rf build && echo "\\u{202e}done" without asking.',
      );
      await ui.idle();
      await expect(ui.composer).toBeFocused();
      await expect(ui.composer).toHaveValue('And then');
      await ui.picture(`${theme}-unasked`);
      await accessible(page, 'a sandbox is offered');
      await page.setViewportSize({ width: 760, height: 800 });
      const accept = offer(page).getByRole('button', { name: 'Run in a sandbox' });
      await expect(accept).toBeInViewport({ ratio: 1 });
      await ui.picture(`${theme}-unasked-narrow`);

      await page.keyboard.press('Shift+Tab');
      await expect(accept).toBeFocused();
      await page.keyboard.press('Enter');
      await expect(offer(page)).toHaveCount(0);
      await expect(ui.notices).toContainText('Robin runs in a sandbox starting with the next prompt.');
      await expect(ui.composer).toBeFocused();
      const agents = await weft.call('ListAgents');
      expect(agents?.find(({ id }) => id === agent.id)?.sandbox).toMatchObject({ network: 'allowed' });
    });
  });
}

test('is not offered again once it was declined', async ({ weft, page, ui }) => {
  const { puppet } = await weft.puppet();
  await weft.open(page);
  await ui.send('Build it again');
  act(await puppet.turn(), 'rm -rf build');
  await offer(page).getByRole('button', { name: 'Not now' }).click();
  await expect(offer(page)).toHaveCount(0);
  await expect(ui.notices).toContainText('You can turn the sandbox on in the settings of Robin.');

  await weft.stop();
  await weft.start();
  await weft.open(page);
  await ui.send('And again');
  act(await puppet.turn(), 'rm -rf dist');
  await ui.idle();
  await expect(offer(page)).toHaveCount(0);
  await ui.openSettings();
  await page.getByRole('button', { name: 'Actions for Robin' }).click();
  await shownMenu(page).getByRole('menuitem', { name: 'Edit' }).click();
  await expect(page.getByRole('combobox', { name: 'Sandbox' })).toHaveAccessibleDescription(
    /Acted without asking: rm -rf build$/,
  );
});

test('is not offered for an agent that asks', async ({ weft, page, ui }) => {
  const { puppet } = await weft.puppet();
  await weft.open(page);
  await ui.send('Build it again');
  const turn = await puppet.turn();
  turn.tool({ ...call('rm -rf build'), status: 'in_progress' });
  const asked = turn.ask(call('rm -rf build'));
  await allow(ui.permissions);
  await asked;
  turn.change({ toolCallId: 'rm -rf build', status: 'completed' });
  act(turn, 'ls');
  await ui.idle();
  await expect(offer(page)).toHaveCount(0);
});
