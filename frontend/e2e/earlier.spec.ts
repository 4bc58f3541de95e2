import { accessible } from './support/axe';
import { expect, test } from './support/test';

const chunk = (sessionUpdate: string, text: string) => ({ sessionUpdate, content: { type: 'text', text } });

test.describe('earlier conversations of an agent', () => {
  test('are found, taken over by keys alone, and not taken twice', async ({ weft, page, ui }) => {
    await weft.puppet('Robin', {
      history: [chunk('user_message_chunk', 'Pick the apples'), chunk('agent_message_chunk', 'Picked.')],
      earlier: [
        { sessionId: 'c1', cwd: weft.project, title: 'Apples and how to pick them' },
        { sessionId: 'c2', cwd: weft.home, title: 'Pears' },
      ],
    });
    await weft.open(page);
    await page.getByRole('button', { name: 'New space', exact: true }).first().click();
    await page.getByRole('radio', { name: /^Robin/ }).check({ force: true });
    await page.getByRole('button', { name: 'Continue an earlier Robin conversation' }).focus();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Earlier Robin conversations' });
    await expect(dialog.getByRole('listitem')).toHaveText([/Apples and how/]);
    await accessible(page, 'earlier conversations', 'all');
    await ui.picture('light-earlier');
    await dialog.getByRole('checkbox', { name: 'All folders' }).check();
    await expect(dialog.getByRole('listitem')).toHaveCount(2);
    await dialog.getByRole('searchbox').fill('apples');
    await expect(dialog.getByRole('listitem')).toHaveCount(1);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await expect(dialog).toBeHidden();
    await expect.poll(() => ui.lines()).toEqual(['you: Pick the apples', 'agent: Robin', 'text: Picked.']);
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Apples and how to pick them');
    const before = await ui.spaces.getByRole('listitem').count();
    await page.getByRole('button', { name: 'New space', exact: true }).first().click();
    await page.getByRole('radio', { name: /^Robin/ }).check({ force: true });
    await page.getByRole('button', { name: 'Continue an earlier Robin conversation' }).click();
    await dialog.getByRole('button', { name: /Already in Weft/ }).click();
    await expect(dialog).toBeHidden();
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Apples and how to pick them');
    expect(await ui.spaces.getByRole('listitem').count()).toBe(before);
  });

  test('an agent that does not hand them over says so', async ({ weft, page }) => {
    await weft.puppet('Robin');
    await weft.open(page);
    await page.getByRole('button', { name: 'New space', exact: true }).first().click();
    await page.getByRole('radio', { name: /^Robin/ }).check({ force: true });
    await page.getByRole('button', { name: 'Continue an earlier Robin conversation' }).click();
    await expect(page.getByRole('alert')).toContainText("Robin doesn't share its earlier conversations.");
  });
});
