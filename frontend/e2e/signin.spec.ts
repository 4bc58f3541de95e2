import { readFile } from 'node:fs/promises';
import type { Page } from '@playwright/test';
import { accessible } from './support/axe';
import { shownMenu } from './support/menu';
import { processes } from './support/processes';
import type { Manners } from './support/puppet';
import { expect, test } from './support/test';

const ways = (where: string) => ({
  authMethods: [
    { id: 'sso', name: 'Single sign-on', description: 'Opens your browser' },
    {
      id: 'tty',
      name: 'In a terminal',
      type: 'terminal',
      args: ['--login', where],
      env: { LOGIN_COLOUR: 'teal' },
    },
    {
      id: 'key',
      name: 'With a key',
      type: 'env_var',
      link: 'https://robin.example/keys',
      vars: [
        { name: 'ROBIN_KEY', label: 'Robin key' },
        { name: 'ROBIN_REGION', secret: false, optional: true },
      ],
    },
    { id: 'sso', name: 'The same inside' },
    { id: 'moon', name: 'By moonlight', type: 'lunar' },
  ],
});
const methods = ways('here');

const terminal = (page: Page) => page.getByRole('group', { name: 'Terminal: In a terminal' });

/** What the terminal shows. */
const shown = (page: Page) => terminal(page).locator('.xterm-rows');

test.describe('signing in', () => {
  test('is offered before the first prompt, and after it the agent is ready', async ({ weft, page, ui }) => {
    const { puppet } = await weft.puppet('Robin', { initialize: methods, wantsSignIn: true });
    await weft.open(page);
    const ways = page.getByRole('list', { name: 'Sign-in methods' });
    await expect(ways.getByRole('listitem')).toHaveText([
      /Single sign-on/,
      /puppet\.mjs --login/,
      /Get it from robin\.example/,
      /Not available: the agent uses the same ID/,
      /Not available: Weft doesn't support methods of type “lunar”/,
    ]);
    await accessible(page, 'ways to sign in', 'all');
    await ui.picture('light-sign-in');
    await ways.getByRole('button', { name: 'Single sign-on' }).click();
    await expect(ways).toBeHidden();
    await ui.send('go');
    (await puppet.turn()).end();
    await ui.idle();
  });

  test('a prompt that needs it is sent afterwards by itself', async ({ weft, page, ui }) => {
    const { puppet, space } = await weft.puppet('Robin', { initialize: methods, wantsSignIn: true });
    await weft.call('SendPrompt', { spaceId: space.id, text: 'go' });
    await weft.open(page);
    await expect(ui.error).toContainText('Robin requires you to sign in');
    await accessible(page, 'an error that asks to sign in', 'all');
    await ui.error.getByRole('button', { name: 'Single sign-on' }).focus();
    await page.keyboard.press('Enter');
    const turn = await puppet.turn();
    expect(turn.text).toBe('go');
    turn.say('Welcome.');
    turn.end();
    await ui.idle();
    await expect(ui.text('Welcome.')).toBeVisible();
  });

  test('in a terminal: typed into, failed, tried again, and the prompt goes', async ({ weft, page, ui }) => {
    const { puppet, space } = await weft.puppet('Robin', { initialize: methods, wantsSignIn: true });
    await weft.call('SendPrompt', { spaceId: space.id, text: 'go' });
    await weft.open(page);
    await ui.error.getByRole('button', { name: 'In a terminal' }).click();
    await expect(shown(page)).toContainText(/Welcome, \d+ columns, teal/);
    await accessible(page, 'a sign-in in a terminal', 'all');
    await ui.picture('light-sign-in-terminal');
    // A link shows where it really leads before it is opened.
    await shown(page).getByText('robin.example').click({ force: true }); // the screen lies over its rows
    await expect(ui.error.getByRole('status').first()).toContainText('https://robin.example/activate');
    await expect(ui.error.getByRole('button', { name: 'Open in browser' })).toBeVisible();
    await page.keyboard.type('no');
    await expect(shown(page)).toContainText('The word: **');
    await page.keyboard.press('Enter');
    await expect(ui.error.getByRole('status').last()).toContainText('exit code 7');
    await ui.error.getByRole('button', { name: 'Try again' }).first().click();
    await expect(shown(page)).toContainText('The word:');
    await page.keyboard.type('die\n');
    await expect(ui.error.getByRole('status').last()).toContainText('SIGKILL');
    await ui.error.getByRole('button', { name: 'Try again' }).first().click();
    await expect(shown(page)).toContainText('The word:');
    await page.keyboard.type('sesame');
    await page.keyboard.press('Enter');
    const turn = await puppet.turn();
    expect(turn.text).toBe('go');
    turn.end();
    await ui.idle();
    await expect(terminal(page)).toBeHidden();
  });

  test('in a terminal that never ends: F6 leaves it, closing ends its command', async ({
    weft,
    page,
    ui,
  }) => {
    await weft.puppet('Robin', { initialize: ways('for-ever-718'), wantsSignIn: true });
    await weft.open(page);
    await page.getByRole('button', { name: 'In a terminal' }).click();
    await expect(shown(page)).toContainText('The word:');
    await page.keyboard.press('F6');
    const close = page.getByRole('button', { name: 'Stop and close' });
    await expect(close).toBeFocused();
    expect(await processes('--login for-ever-718')).toBeGreaterThan(0);
    await page.keyboard.press('Enter');
    await expect(terminal(page)).toBeHidden();
    await expect.poll(() => processes('--login for-ever-718')).toBe(0);
    await expect(ui.notices).not.toContainText('not');
  });

  test('with variables: kept in a file by choice, given to a new start, forgotten by logging out', async ({
    weft,
    page,
    ui,
  }) => {
    const manners: Manners = { initialize: methods, wantsSignIn: true, rightKey: 'right-key-123' };
    const { puppet, space, agent } = await weft.puppet('Robin', manners);
    await weft.call('SendPrompt', { spaceId: space.id, text: 'go' });
    await weft.open(page);
    await ui.error.getByRole('button', { name: 'With a key' }).click();
    const form = ui.error.locator('form');
    await expect(form.getByLabel('Robin key')).toHaveAttribute('type', 'password');
    await expect(form.getByLabel(/ROBIN_REGION/)).toHaveAttribute('type', 'text');
    await form.getByLabel('Robin key').fill('wrong-key-456');
    await page.keyboard.press('Enter');
    // There is no keychain here. Nothing goes to a file unasked.
    await expect(ui.error).toContainText("Couldn't reach a system keychain");
    await expect(ui.error).toContainText('not against programs that run as you');
    await accessible(page, 'a keychain that is not there', 'all');
    await ui.picture('light-sign-in-keychain');
    await ui.error.getByRole('button', { name: 'Use an encrypted file instead' }).click();
    await expect(ui.error).toContainText("Robin couldn't sign you in: Wrong key.");
    expect(puppet.manners.seenKey).toBe('wrong-key-456');
    await form.getByLabel('Robin key').fill('right-key-123');
    await form.getByRole('button', { name: 'Save and sign in' }).click();
    const turn = await puppet.turn();
    expect(turn.text).toBe('go');
    puppet.complain('my key is right-key-123\n');
    turn.end();
    await ui.idle();
    for (const file of [
      weft.settings,
      `${weft.data}/secrets.json`,
      `${weft.data}/protocol/${space.id}.jsonl`,
    ]) {
      expect(await readFile(file, 'utf8')).not.toContain('right-key-123');
    }
    const { secretEnv } = (await weft.call('ListAgents'))?.find(({ id }) => id === agent.id) ?? {};
    expect(secretEnv).toEqual({ ROBIN_KEY: expect.stringMatching(/^file:/) });

    await page
      .getByRole('button', { name: /^Actions for/ })
      .first()
      .click();
    await shownMenu(page).getByRole('menuitem', { name: 'Log out of Robin' }).click();
    await expect(ui.notices).toContainText('1 saved variable of Robin was deleted');
    expect(JSON.parse(await readFile(weft.settings, 'utf8')).agentSecrets).toBeUndefined();
    expect(JSON.parse(await readFile(`${weft.data}/secrets.json`, 'utf8')).secrets).toEqual({});
  });

  test('wanted by initialize, and in the middle of a session, and after a log out', async ({
    weft,
    page,
    ui,
  }) => {
    const manners: Manners = {
      initialize: { ...methods, agentCapabilities: { auth: { logout: {} } } },
      wantsSignIn: true,
      wantsSignInFirst: true,
    };
    const { puppet } = await weft.puppet('Robin', manners);
    await weft.open(page);
    const ways = page.getByRole('list', { name: 'Sign-in methods' });
    await ways.getByRole('button', { name: 'Single sign-on' }).click();
    await expect(ways).toBeHidden();
    await ui.send('one');
    (await puppet.turn()).end();
    await ui.idle();
    await ui.send('two');
    (await puppet.turn()).fail('Authentication required', -32000);
    await ui.error.getByRole('button', { name: 'Single sign-on' }).click();
    const again = await puppet.turn();
    expect(again.text).toBe('two');
    again.end();
    await ui.idle();

    await page
      .getByRole('button', { name: /^Actions for/ })
      .first()
      .click();
    await shownMenu(page).getByRole('menuitem', { name: 'Log out of Robin' }).click();
    await expect(ui.notices).toContainText('Logged out of Robin');
    expect(puppet.calls).toContain('logout');
    await ui.send('three');
    await ui.error.last().getByRole('button', { name: 'In a terminal' }).click();
    await expect(shown(page)).toContainText('The word:');
    await page.keyboard.type('sesame\n');
    const third = await puppet.turn();
    expect(third.text).toBe('three');
    third.end();
    await ui.idle();
  });

  test('from the settings, after a test of the agent', async ({ weft, page, ui }) => {
    const manners: Manners = { initialize: methods, wantsSignIn: true };
    const { puppet } = await weft.puppet('Robin', manners);
    await weft.open(page);
    await ui.openSettings();
    const row = page.getByRole('listitem').filter({ has: page.getByRole('heading', { name: /^Robin/ }) });
    await row.getByRole('button', { name: 'Test' }).click();
    await row.getByRole('button', { name: 'In a terminal' }).click();
    await expect(shown(page)).toContainText('The word:');
    await page.keyboard.type('sesame\n');
    await expect(ui.notices).toContainText('Signed in.');
    expect(puppet.manners.wantsSignIn).toBe(false);
  });
});
