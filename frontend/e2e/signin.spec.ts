import { accessible } from './support/axe';
import { expect, test } from './support/test';

const methods = {
  authMethods: [
    { id: 'sso', name: 'Single sign-on', description: 'Opens your browser' },
    { id: 'tty', name: 'In a terminal', type: 'terminal', args: ['--login'] },
    { id: 'key', name: 'With a key', type: 'env_var', vars: [{ name: 'ROBIN_KEY' }] },
  ],
};

test.describe('signing in', () => {
  test('is offered before the first prompt, and after it the agent is ready', async ({ weft, page, ui }) => {
    const { puppet } = await weft.puppet('Robin', { initialize: methods, wantsSignIn: true });
    await weft.open(page);
    const ways = page.getByRole('list', { name: 'Ways to sign in' });
    await expect(ways.getByRole('listitem')).toHaveText([
      /Single sign-on/,
      /puppet\.mjs --login/,
      /Set ROBIN_KEY/,
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
    await expect(ui.error).toContainText('wants you to sign in first');
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
});
