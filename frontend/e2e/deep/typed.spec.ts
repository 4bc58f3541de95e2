import type { Page } from '@playwright/test';
import { Random } from '../../src/markdown/testing/random';
import type { Puppet } from '../support/puppet';
import type { Screen } from '../support/screen';
import { expect, test } from '../support/test';
import type { Weft } from '../support/weft';

// A user who goes from space to space, types and sends, at random, from a seed, without waiting for anything: what is typed is in the space
// that they went to, as a draft or as a prompt, and nowhere else. It runs by hand: WEFT_SEED=1,2 names the seeds, WEFT_STEPS the number of steps.

test.describe.configure({ mode: 'parallel' });

const seeds = process.env['WEFT_SEED']?.split(',').map(Number) ?? [];
const steps = Number(process.env['WEFT_STEPS'] ?? 120);

interface Known {
  id: string;
  title: string;
  draft: string;
  prompts: string[];
}

async function prompts(weft: Weft, spaceId: string): Promise<string[]> {
  const { page } = await weft.call('OpenSpace', { spaceId });
  return page.messages
    .filter(({ role }) => role === 'user')
    .map(({ segments }) => segments.map((one) => (one.type === 'text' ? one.text : '')).join(''));
}

/** Whoever writes to the agent gets an answer; what it takes to answer is told by a number. */
async function answer(puppet: Puppet, random: Random): Promise<void> {
  for (;;) {
    const turn = await puppet.turn();
    turn.say('Yes.');
    if (random.below(3) === 0) turn.say(' And more.');
    turn.end();
  }
}

const row = (ui: Screen, title: string) => ui.spaces.locator('.space-button').filter({ hasText: title });

/** Goes to a space; returns whether what is typed then is for it, without another click. */
async function open(page: Page, ui: Screen, random: Random, title: string): Promise<boolean> {
  if (random.below(2) === 0) {
    await row(ui, title).click();
    return false;
  }
  await page.keyboard.press('Control+k');
  await expect(ui.palette.getByPlaceholder('Type a command or space name')).toBeFocused();
  await page.keyboard.insertText(title);
  await expect(ui.palette.getByRole('option', { selected: true })).toContainText(title);
  await page.keyboard.press('Enter');
  return true;
}

for (const seed of seeds)
  test(`what is typed stays where it was typed, seed ${seed}`, async ({ weft, page, ui }) => {
    test.setTimeout(90_000);
    const random = new Random(seed);
    const { puppet, agent, space } = await weft.puppet();
    void answer(puppet, new Random(seed + 1000));
    await weft.call('UpdateSpace', { spaceId: space.id, title: 'Apples' });
    const known: Known[] = [{ id: space.id, title: 'Apples', draft: '', prompts: [] }];
    for (const title of ['Pears', 'Plums', 'Quinces']) {
      const { id } = await weft.space(agent.id, title);
      known.push({ id, title, draft: '', prompts: [] });
    }
    for (const one of known) {
      await weft.call('SendPrompt', { spaceId: one.id, text: `Begin ${one.title}` });
      one.prompts.push(`Begin ${one.title}`);
    }
    await weft.open(page);
    await expect(row(ui, 'Quinces')).toBeVisible();
    let at = known[0] as Known;
    let writes = await open(page, ui, random, at.title);
    /** Whoever clicks into the field has the focus there at once. */
    const write = async () => {
      if (!writes) await page.evaluate(() => document.querySelector<HTMLElement>('.composer-field')?.focus());
      writes = true;
    };
    const done: string[] = [];
    for (let step = 0; step < steps; step++) {
      const kind = random.below(8);
      if (kind < 3) {
        at = random.pick(known);
        done.push(at.title);
        writes = await open(page, ui, random, at.title);
      } else if (kind < 7) {
        await write();
        const word = `w${step} `;
        done.push(word);
        await page.keyboard.insertText(word);
        at.draft += word;
      } else if (at.draft !== '') {
        await write();
        done.push('send');
        await page.keyboard.press('Enter');
        at.prompts.push(at.draft);
        at.draft = '';
      }
    }
    await test.info().attach('steps', { body: done.join('\n') });
    await expect(page.getByRole('heading', { name: at.title, level: 1 })).toBeVisible();
    await expect(ui.composer).toHaveValue(at.draft);
    for (const one of known) {
      await expect.poll(() => prompts(weft, one.id), { message: one.title }).toEqual(one.prompts);
      const draft = async () => (await weft.call('Draft', { spaceId: one.id })).text;
      await expect.poll(draft, { message: `the draft of ${one.title}` }).toBe(one.draft);
      await row(ui, one.title).click();
      await expect(ui.composer).toHaveValue(one.draft);
    }
  });
