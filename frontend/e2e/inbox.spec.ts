import { accessible } from './support/axe';
import { yesOrNo } from './support/puppet';
import { armed, reject } from './support/requests';
import { expect, test } from './support/test';

test.describe('what waits for the user', () => {
  test('is in one place, across spaces, and gone when it was seen', async ({ weft, page, ui }) => {
    const robin = await weft.puppet('Robin');
    const wren = await weft.puppet('Wren');
    const finch = await weft.puppet('Finch');
    const here = await weft.space('guide', 'Here');
    await weft.open(page);
    await ui.spaces.getByRole('button', { name: /^Here/ }).click();
    const row = (mark: string) => ui.spaces.getByRole('button', { name: new RegExp(`^${mark}`) });
    const failed = row('Failed');
    const finished = row('Finished');
    for (const one of [row('Needs your answer'), failed, finished]) await expect(one).toHaveCount(0);
    await ui.waiting(0);
    for (const { space } of [robin, wren, finch])
      await weft.call('SendPrompt', { spaceId: space.id, text: `for ${space.agentName}` });
    const asking = (await robin.puppet.turn()).ask(
      { toolCallId: 'c', title: 'Prune the apple tree', kind: 'edit' },
      yesOrNo,
    );
    const second = await wren.puppet.turn();
    second.say('The hedge is cut.');
    second.end();
    const third = await finch.puppet.turn();
    finch.puppet.crash(3, 'no more seeds\n');
    void third;
    await expect(row('Needs your answer')).toHaveText([/for Robin/]);
    await expect(failed).toHaveText([/for Finch/]);
    await expect(finished).toHaveText([/for Wren/]);
    // Only what needs an answer is counted.
    await ui.waiting(1);
    await accessible(page, 'the inbox', 'all');
    await ui.picture('light-inbox');
    // By key: what asks comes first, and is answered there.
    await page.keyboard.press('Control+j');
    await expect(page.getByRole('heading', { name: 'Inbox', level: 1 })).toBeVisible();
    await page.keyboard.press('Enter');
    await expect(ui.permissions).toHaveAccessibleName('Permission required: Prune the apple tree');
    await expect(ui.permissions).toBeFocused();
    await armed(ui.permissions);
    await page.keyboard.press('1');
    expect(await asking).toBe('yes');
    await ui.waiting(0);
    const unseen = async () =>
      (await weft.call('ListSpaces', { archived: false, query: '' }))
        ?.filter((space) => space.unseen)
        .map(({ id }) => id);
    await failed.click();
    await expect(ui.error).toBeVisible();
    await expect(failed).toHaveCount(0);
    await expect(finished).toHaveText([/for Wren/]);
    // The page shows it before it is stored, and a reload ends what is still on its way.
    await expect.poll(unseen).toEqual([wren.space.id]);
    // It is kept over a reload, until someone looks.
    await page.reload();
    await expect(finished).toHaveText([/for Wren/]);
    await finished.click();
    await expect(finished).toHaveCount(0);
    await expect.poll(unseen).toEqual([]);
    await page.reload();
    await expect(ui.spaces.getByRole('listitem')).toHaveCount(4);
    await expect(finished).toHaveCount(0);
    expect(await unseen()).toEqual([]);
    expect(here.unseen).toBe(false);
  });

  test('is told by the desktop while the window is behind others, and a click leads there', async ({
    weft,
    page,
    ui,
  }) => {
    await page.addInitScript(() => {
      const told: { title: string; body: string; click(): void }[] = [];
      class Notice {
        static permission = 'granted';
        onclick = () => {};
        constructor(title: string, { body }: { body: string }) {
          told.push({ title, body, click: () => this.onclick() });
        }
        close() {}
      }
      Object.assign(window, { Notification: Notice, told });
      let front = true;
      document.hasFocus = () => front;
      Object.assign(window, {
        toBack: (back: boolean) => {
          front = !back;
          window.dispatchEvent(new Event(back ? 'blur' : 'focus'));
        },
      });
    });
    const told = () =>
      page.evaluate(() =>
        (window as unknown as { told: { title: string; body: string }[] }).told.map(
          ({ title, body }) => `${title}: ${body}`,
        ),
      );
    const key = 'sk-orchard-0123456789';
    await weft.call('SetSecretStore', { store: 'file' });
    await weft.call('SaveAgent', {
      ...{ id: '', name: 'Plum', command: 'plum', args: [], env: {}, cwd: 'space' },
      secretEnv: { PLUM_KEY: { value: key } },
    });
    const { puppet, space } = await weft.puppet('Robin');
    await weft.space('guide', 'Here');
    await weft.open(page);
    await ui.spaces.getByRole('button', { name: /^Here/ }).click();
    await weft.call('SendPrompt', { spaceId: space.id, text: 'first' });
    const turn = await puppet.turn();
    turn.say('The hedge is cut.');
    turn.end();
    await expect(ui.spaces.getByRole('button', { name: /^Finished/ })).toContainText('first');
    expect(await told()).toEqual([]); // the user looks at the window
    await page.evaluate(() => (window as unknown as { toBack(back: boolean): void }).toBack(true));
    await weft.call('SendPrompt', { spaceId: space.id, text: 'second' });
    const asking = await puppet.turn();
    // What was said before the request is more than fits, and it is not the only one.
    void asking.ask({ toolCallId: 'b', title: 'Sharpen the saw', kind: 'edit' }, yesOrNo);
    await expect.poll(told).toEqual(['first: Robin needs permission: Sharpen the saw']);
    asking.did({ toolCallId: 'long', title: 'Look', kind: 'read' });
    void asking.ask(
      { toolCallId: 'c', title: `Prune\nthe tree with ${key}, and ${'a'.repeat(140)}${key}`, kind: 'edit' },
      yesOrNo,
    );
    await expect.poll(told).toHaveLength(2);
    const [, second = ''] = await told();
    expect(second).toContain('first: Robin needs permission: Prune the tree with [secret], and aaa');
    expect(second).toMatch(/a…$/);
    await ui.openSettings('Appearance');
    await page.evaluate(() => (window as unknown as { told: { click(): void }[] }).told[1]?.click());
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('first');
    const saw = ui.permissions.filter({ hasText: 'Sharpen the saw' });
    const tree = ui.permissions.filter({ hasText: 'the tree' });
    await expect(tree).toBeFocused();
    await expect(tree).toBeInViewport();
    // The other one, from the space itself, and from elsewhere in it.
    await ui.composer.focus();
    await page.evaluate(() => (window as unknown as { told: { click(): void }[] }).told[0]?.click());
    await expect(saw).toBeFocused();
    await reject(saw);
    await expect(tree).toBeFocused();
    // What was answered elsewhere leads to its space, and takes nobody to another request.
    await ui.composer.focus();
    await page.evaluate(() => (window as unknown as { told: { click(): void }[] }).told[0]?.click());
    await expect(ui.permissions).toHaveCount(1);
    await expect(tree).not.toBeFocused();
  });
});
