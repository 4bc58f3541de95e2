import { rename } from 'node:fs/promises';
import type { Locator, Page } from '@playwright/test';
import type { Agent } from '../src/transport/api';
import { accessible } from './support/axe';
import { deep } from './support/deep';
import { ModelServer } from './support/models';
import type { Puppet } from './support/puppet';
import type { Screen } from './support/screen';
import { expect, test } from './support/test';
import { themes } from './support/themes';
import type { Weft } from './support/weft';

/** The buttons of an error, in their order. The first one stands out. */
async function offers(where: Locator, ...names: string[]): Promise<void> {
  const fixes = where.locator('.fixes').getByRole('button');
  await expect(fixes).toHaveText(names);
  await expect(where.locator('.button.primary')).toHaveText(names.slice(0, 1));
}

async function answers(puppet: Puppet, ui: Screen, text = 'The apples are ripe.'): Promise<string> {
  const turn = await puppet.turn();
  turn.say(text);
  turn.end();
  await expect(ui.text(text)).toBeVisible();
  return turn.text;
}

/** Changes the command of an agent that the test leads. */
async function setCommand(weft: Weft, agent: Agent, command: string): Promise<void> {
  const { id, name, args, env, cwd } = agent;
  await weft.call('SaveAgent', { id, name, command, args, env, cwd });
}

const form = (page: Page, name: string) => page.getByRole('dialog', { name: `Edit ${name}` });

test('a command that is missing is chosen, and the prompt sent again', async ({ weft, page, ui }) => {
  const { agent, puppet } = await weft.actor('Robin');
  await setCommand(weft, agent, 'no-such-robin');
  await weft.space(agent.id);
  await weft.open(page);
  // Before a prompt is written in vain.
  const unready = page.getByRole('status').filter({ hasText: "Robin isn't ready." });
  await expect(unready).toContainText('no-such-robin');
  await offers(unready, 'Choose command', 'Try again', 'Agent settings');
  await accessible(page, 'an agent that is not ready');
  await ui.send('How are the apples?');
  await expect(ui.error).toContainText('no-such-robin');
  await offers(
    ui.error,
    'Choose command',
    'Try again',
    'Restart and continue',
    'Protocol log',
    'Agent settings',
  );
  await accessible(page, 'a command that is missing');
  await ui.error.getByRole('button', { name: 'Choose command' }).focus();
  await page.keyboard.press('Enter');
  const command = form(page, 'Robin').getByLabel('Command', { exact: true });
  await expect(command).toBeFocused();
  await expect(command).toHaveValue('no-such-robin');
  await command.fill(process.execPath);
  await page.keyboard.press('Enter');
  await expect(form(page, 'Robin')).toBeHidden();
  // What is left to do is now the first button.
  await offers(
    ui.error,
    'Try again',
    'Choose command',
    'Restart and continue',
    'Protocol log',
    'Agent settings',
  );
  await ui.error.getByRole('button', { name: 'Try again' }).click();
  expect(await answers(puppet, ui)).toContain('How are the apples?');
  await expect(ui.error.locator('.fixes')).toHaveCount(0);
});

test('an agent of the registry that is missing is installed from there', deep, async ({ weft, page, ui }) => {
  const { id } = await weft.agent('OpenCode', 'no-such-opencode', ['acp']);
  await weft.space(id);
  await weft.open(page);
  await ui.send('go');
  await ui.error.getByRole('button', { name: 'Install' }).click();
  await expect(page.getByRole('heading', { name: 'Browse agents', level: 1 })).toBeVisible();
  await expect(page.getByRole('searchbox', { name: 'Search agents' })).toHaveValue('OpenCode');
  const list = page.getByRole('list', { name: 'Registry agents' });
  await expect(list.getByRole('listitem')).toHaveCount(1);
  await expect(list).toContainText('OpenCode');
  // Who asks for all of them gets them.
  await ui.command('Browse agents');
  await expect(page.getByRole('searchbox', { name: 'Search agents' })).toHaveValue('');
});

test('an agent that has exited is restarted, and its last output is open', async ({ weft, page, ui }) => {
  const { puppet } = await weft.puppet();
  await weft.open(page);
  await ui.send('go');
  await puppet.turn();
  puppet.crash(134, `${'at a line of the stack\n'.repeat(40)}panic: the apple is rotten\n`);
  await offers(ui.error, 'Restart and continue', 'Try again', 'Protocol log', 'Agent settings');
  await expect(ui.error.getByRole('button', { name: 'Last error output' })).toHaveAttribute(
    'aria-expanded',
    'true',
  );
  await expect(ui.error.getByText('panic: the apple is rotten')).toBeVisible();
  await accessible(page, 'an agent that has exited');
  await ui.error.getByRole('button', { name: 'Protocol log' }).click();
  await expect(ui.log).toBeVisible();
  // It is open already.
  await offers(ui.error, 'Restart and continue', 'Try again', 'Agent settings');
  await ui.error.getByRole('button', { name: 'Restart and continue' }).click();
  expect(await answers(puppet, ui)).toContain('continue where you left off');
  expect(puppet.starts).toBe(2);
});

test('a folder that is gone is chosen again', deep, async ({ weft, page, ui }) => {
  const { puppet, space } = await weft.puppet();
  // It was moved while Weft was closed: no session is open in it.
  await rename(weft.project, `${weft.project}-moved`);
  await weft.open(page);
  await ui.send('How are the apples?');
  await expect(ui.error).toContainText("can't be opened");
  await offers(
    ui.error,
    'Choose folder',
    'Try again',
    'Restart and continue',
    'Protocol log',
    'Agent settings',
  );
  await ui.error.getByRole('button', { name: 'Choose folder' }).click();
  const dialog = page.getByRole('dialog', { name: 'Choose a folder' });
  await dialog.getByRole('button', { name: 'orchard-moved' }).click();
  await expect(dialog.getByRole('textbox', { name: 'Path' })).toHaveValue(`${weft.project}-moved`);
  await dialog.getByRole('button', { name: 'Choose this folder' }).click();
  expect(await answers(puppet, ui)).toContain('How are the apples?');
  await expect(ui.spaces.getByRole('listitem')).toHaveCount(1);
  const [now] = await weft.call('ListSpaces', { archived: false, query: '' });
  expect(now).toMatchObject({ id: space.id, folder: `${weft.project}-moved` });
});

test('a limit says when to try again', deep, async ({ weft, page, ui }) => {
  const { puppet } = await weft.puppet();
  await weft.open(page);
  await ui.send('go');
  const data = { code: 'limit', retryable: true, retryAt: Date.now() + 5 * 60_000 };
  (await puppet.turn()).fail('Acme is limiting requests (429).', -32603, data);
  await expect(ui.error).toContainText('Acme is limiting requests (429).');
  await expect(ui.error).toContainText(/accepts requests again at .*, in \d+\Wmin/);
  await offers(ui.error, 'Try again', 'Restart and continue', 'Protocol log', 'Agent settings');
  await accessible(page, 'a limit');
  await ui.picture('error-limit');
  await ui.error.getByRole('button', { name: 'Try again' }).click();
  expect(await answers(puppet, ui)).toBe('go');
});

test(
  'a conversation that is too long is compacted, or continued elsewhere',
  deep,
  async ({ weft, page, ui }) => {
    const { puppet, space } = await weft.puppet();
    await weft.open(page);
    await ui.send('Count all apples');
    const data = { code: 'context', retryable: false };
    const first = await puppet.turn();
    first.say('One, two');
    first.fail('The conversation is too long for this model.', -32603, data);
    await offers(
      ui.error,
      'Continue in a new space',
      'Restart and continue',
      'Protocol log',
      'Agent settings',
    );
    await ui.send('Count them again');
    const second = await puppet.turn();
    second.update({
      sessionUpdate: 'available_commands_update',
      availableCommands: [{ name: 'compact', description: 'Shorten the conversation' }],
    });
    second.fail('The conversation is too long for this model.', -32603, data);
    const error = ui.error.last();
    await offers(
      error,
      'Compact',
      'Continue in a new space',
      'Restart and continue',
      'Protocol log',
      'Agent settings',
    );
    await error.getByRole('button', { name: 'Compact' }).click();
    const compact = await puppet.turn();
    expect(compact.text).toBe('/compact');
    compact.fail('The conversation is too long for this model.', -32603, data);
    await ui.error.last().getByRole('button', { name: 'Continue in a new space' }).click();
    await expect(page.getByRole('heading', { name: 'What should Robin do?' })).toBeVisible();
    await expect(ui.composer).toHaveValue('/compact');
    const spaces = await weft.call('ListSpaces', { archived: false, query: '' });
    expect(spaces).toHaveLength(2);
    expect(spaces.find(({ id }) => id !== space.id)).toMatchObject({
      folder: space.folder,
      agentId: space.agentId,
    });
  },
);

test('a key that is not accepted is changed', deep, async ({ weft, page, ui }) => {
  const server = await ModelServer.listen();
  try {
    await weft.call('SetSecretStore', { store: 'file' });
    const agent = await weft.call('SaveAgent', {
      id: '',
      name: 'Plum',
      command: '',
      args: [],
      env: {},
      secretEnv: { OPENAI_API_KEY: { value: 'wrong-key-000111' } },
      cwd: 'space',
      model: { provider: 'openai', model: 'plum-mini', baseUrl: server.url },
    });
    await weft.space(agent.id);
    await weft.open(page);
    await ui.send('Are they ripe?');
    await expect(ui.error).toBeVisible();
    await expect(ui.error).toContainText("doesn't accept the key (401)");
    await expect(ui.error.getByRole('list', { name: 'Sign-in methods' })).toBeVisible();
    // The key is what it signs in by.
    await expect(ui.error.locator('.button.primary')).toHaveText('Change key');
    await accessible(page, 'a key that is not accepted');
    await ui.error.getByRole('button', { name: 'Change key' }).click();
    const key = form(page, 'Plum').getByLabel('Key', { exact: true });
    await expect(key).toBeFocused();
    await key.fill(server.key);
    await form(page, 'Plum').getByRole('button', { name: 'Save' }).click();
    await expect(form(page, 'Plum')).toBeHidden();
    await ui.error.getByRole('button', { name: 'Restart and continue' }).click();
    await expect(ui.text('The plums are ripe.')).toBeVisible();
  } finally {
    await server.close();
  }
});

test('a test that fails offers the same', deep, async ({ weft, page, ui }) => {
  const { agent } = await weft.actor('Robin');
  await setCommand(weft, agent, 'no-such-robin');
  await weft.open(page);
  await ui.openSettings();
  const row = page.getByRole('listitem').filter({ has: page.getByRole('heading', { name: /^Robin/ }) });
  await row.getByRole('button', { name: 'Test' }).click();
  await offers(row, 'Choose command', 'Test again');
  await accessible(page, 'a test that failed');
  await row.getByRole('button', { name: 'Choose command' }).click();
  await expect(form(page, 'Robin').getByLabel('Command', { exact: true })).toBeFocused();
  await page.keyboard.press('Control+a');
  await page.keyboard.type(process.execPath);
  await page.keyboard.press('Enter');
  await expect(form(page, 'Robin')).toBeHidden();
  await offers(row, 'Test again', 'Choose command');
  await row.getByRole('button', { name: 'Test again' }).click();
  await expect(row).toContainText('Works, answered in');
});

for (const scheme of themes)
  for (const width of [760, 1720])
    test(`errors look right in the ${scheme} at ${width}`, deep, async ({ weft, page, ui }) => {
      await page.emulateMedia({ colorScheme: scheme });
      await page.setViewportSize({ width, height: 900 });
      const { agent } = await weft.actor('Robin');
      await setCommand(weft, agent, 'no-such-robin');
      await weft.space(agent.id);
      await weft.open(page);
      await expect(page.getByRole('button', { name: 'Choose command' })).toBeVisible();
      await ui.picture(`error-unready-${scheme}-${width}`);
      await ui.send('How are the apples?');
      await expect(ui.error).toBeVisible();
      await accessible(page, `an error in the ${scheme}`);
      await ui.picture(`error-missing-${scheme}-${width}`);
      await ui.openSettings();
      const row = page.getByRole('listitem').filter({ has: page.getByRole('heading', { name: /^Robin/ }) });
      await row.getByRole('button', { name: 'Test' }).click();
      await expect(row.getByRole('button', { name: 'Choose command' })).toBeVisible();
      await accessible(page, `a test that failed in the ${scheme}`);
      await ui.picture(`error-test-${scheme}-${width}`);
    });
