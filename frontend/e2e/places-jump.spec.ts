import type { Page } from '@playwright/test';
import { linkTo } from '../src/state/link';
import type { Space } from '../src/transport/api';
import { deep } from './support/deep';
import type { Puppet } from './support/puppet';
import { chunk, toolCall } from './support/puppet';
import type { Screen } from './support/screen';
import { expect, test } from './support/test';
import type { Weft } from './support/weft';

const turns = 4;
const perTurn = 1200;

/** A space in which texts and calls take turns, far longer than a page holds. */
async function long(weft: Weft): Promise<{ space: Space; puppet: Puppet }> {
  const { puppet, space } = await weft.puppet();
  await weft.call('UpdateSpace', { spaceId: space.id, title: 'Long' });
  for (let n = 0; n < turns; n++) {
    await weft.call('SendPrompt', { spaceId: space.id, text: `Turn ${n}` });
    const turn = await puppet.turn();
    const updates: object[] = [];
    for (let i = 0; i < perTurn; i++) {
      const at = n * perTurn + i;
      if (i % 2 === 0) updates.push(chunk(`Segment ${at} says a line or so about apples.`));
      else
        updates.push(
          toolCall({ toolCallId: `t${at}`, title: `Read ${at}`, kind: 'read', status: 'completed' }),
        );
    }
    turn.updates(updates);
    turn.end();
    await idle(weft, space);
  }
  return { space, puppet };
}

async function idle(weft: Weft, space: Space): Promise<void> {
  await expect
    .poll(async () => (await weft.call('OpenSpace', { spaceId: space.id })).runs, { timeout: 30_000 })
    .toEqual([]);
}

const address = (page: Page) => new URL(page.url()).hash;

async function goTo(page: Page, ui: Screen, hash: string): Promise<void> {
  await page.evaluate((to) => {
    window.location.hash = to;
  }, hash);
  await ui.rests();
}

test.describe('a place', () => {
  test.setTimeout(120_000);

  test('is opened by its address, far from what is held, and the way back leads to where one was', async ({
    weft,
    page,
    ui,
  }) => {
    const { space } = await long(weft);
    await weft.space('guide', 'Short');
    await weft.open(page);
    await ui.spaces.getByRole('button', { name: /Long/ }).first().click();
    const last = turns * perTurn - 1;
    await expect(ui.tool(`Read ${last}`)).toBeInViewport();
    expect(address(page)).toBe(`#/space/${space.id}`);

    // A text in the middle of the second turn.
    const middle = perTurn + 600;
    const text = await weft.placeOf(space, `Segment ${middle} says`);
    const { segment } = text;
    await goTo(page, ui, `#/space/${space.id}/${text.messageId}.${segment}`);
    await expect(ui.text(`Segment ${middle} says`)).toBeInViewport();
    await expect(page.getByRole('button', { name: 'Go to latest' })).toBeVisible();
    // Both sides can be read on from there.
    await ui.transcript.hover();
    for (let i = 0; i < 30; i++) await page.mouse.wheel(0, -1500);
    await expect
      .poll(async () => Number(/Read (\d+)/.exec((await ui.tool(/Read/).first().textContent()) ?? '')?.[1]))
      .toBeLessThan(middle - 60);

    // A call, from a link that reaches the page as an address.
    const call = await weft.placeOf(space, 'Read 77');
    await goTo(page, ui, `#/space/${space.id}/${call.messageId}.${call.segment}.${call.item}`);
    await expect(ui.tool('Read 77').first()).toBeInViewport();
    await expect(ui.tool('Read 77').first()).toBeFocused();

    await page.goBack();
    await ui.rests();
    expect(address(page)).toBe(`#/space/${space.id}/${text.messageId}.${segment}`);
    await page.goForward();
    await ui.rests();
    await expect(ui.tool('Read 77').first()).toBeInViewport();

    await page.reload();
    await expect(ui.tool('Read 77').first()).toBeInViewport();
    await ui.picture('jump-call');

    // Another space and back, by key.
    await ui.spaces.getByRole('button', { name: /Short/ }).first().click();
    await expect(page.getByRole('heading', { name: 'What should Guide do?' })).toBeVisible();
    await page.keyboard.press('Alt+ArrowLeft');
    await expect(ui.tool('Read 77').first()).toBeInViewport();
  });

  test(
    'opens what is closed around it: a group, earlier calls, a call and its output',
    deep,
    async ({ weft, page, ui }) => {
      const { puppet, space } = await weft.puppet();
      await weft.call('SendPrompt', { spaceId: space.id, text: 'Many calls' });
      const turn = await puppet.turn();
      for (let i = 0; i < 600; i++) {
        const text =
          i === 40 ? `${'filler\n'.repeat(40_000)}the needle\n${'filler\n'.repeat(40_000)}` : `output ${i}`;
        turn.update(
          toolCall({
            ...{ toolCallId: `c${i}`, title: `Step ${i}`, kind: 'read', status: 'completed' },
            content: [{ type: 'content', content: { type: 'text', text } }],
          }),
        );
      }
      turn.say('Done.');
      turn.end();
      await idle(weft, space);
      const place = await weft.placeOf(space, 'needle');
      expect(place.item).toBe(40);
      await weft.open(page);
      await expect(ui.text('Done.')).toBeVisible();
      await expect(ui.tool('Step 40')).toBeHidden();

      await page.keyboard.press('Control+f');
      await page.getByRole('textbox', { name: 'Find in this conversation' }).fill('the needle');
      await expect(page.getByText('1 of 1')).toBeVisible();
      await page.keyboard.press('Enter');
      await expect(ui.tool('Step 40')).toBeInViewport();
      await expect(ui.transcript.getByText('the needle')).toBeInViewport();
      await expect(page.getByRole('button', { name: /calls in between/ })).toBeVisible();
      await ui.rests();
      await ui.picture('jump-output');

      await page.keyboard.press('Escape');
      await expect(page.getByRole('search')).toBeHidden();
      await expect(ui.transcript.getByText('the needle')).toBeInViewport();
    },
  );

  test(
    'shows thoughts that are hidden, the end of a long prompt, and what is in a fold',
    deep,
    async ({ weft, page, ui }) => {
      const { puppet, space } = await weft.puppet();
      const text = `Look.\n${'A line of it.\n'.repeat(60)}The last line names quinces.`;
      await weft.call('SendPrompt', { spaceId: space.id, text });
      const turn = await puppet.turn();
      turn.did({ toolCallId: 'a', title: 'Read the map', kind: 'read' });
      turn.think('Perhaps a secret plum.');
      turn.did({ toolCallId: 'b', title: 'Read the letter', kind: 'read' });
      turn.say(
        `Fine.\n\n<details><summary>More</summary>\n\nIn here is a medlar.\n\n</details>\n\n${'Words.\n\n'.repeat(80)}`,
      );
      turn.end();
      await idle(weft, space);
      await weft.open(page);
      await expect(ui.text('Words.').last()).toBeInViewport();
      await ui.command('Hide thoughts');
      await page.keyboard.press('Control+f');
      const field = page.getByRole('textbox', { name: 'Find in this conversation' });
      for (const [query, words] of [
        ['secret plum', 'Perhaps a secret plum.'],
        ['quinces', 'The last line names quinces.'],
        ['a medlar', 'In here is a medlar.'],
      ] as const) {
        await field.fill(query);
        await expect(page.getByRole('search').getByRole('status')).toHaveText('1 of 1');
        await page.keyboard.press('Enter');
        await expect(ui.transcript.getByText(words)).toBeInViewport();
        await expect
          .poll(() => page.evaluate(() => [...(CSS.highlights.get('find-now') ?? [])].map(String).join()))
          .toBe(query);
      }
    },
  );

  test(
    'is linked from the menus and the keyboard, and links in answers open it here',
    deep,
    async ({ weft, page, ui, context }) => {
      await context.grantPermissions(['clipboard-read', 'clipboard-write']);
      const { puppet, space } = await weft.puppet();
      await weft.open(page);
      await ui.send('Look around');
      const turn = await puppet.turn();
      turn.did({ toolCallId: 'a', title: 'Read the map', kind: 'read' });
      turn.say('Found it.');
      turn.end();
      await ui.idle();
      const copied = () => page.evaluate(() => navigator.clipboard.readText());
      const call = await weft.placeOf(space, 'Read the map');
      await ui.tool('Read the map').click({ button: 'right' });
      await page.getByRole('menuitem', { name: 'Copy link to this call' }).click();
      await expect.poll(copied).toBe(linkTo(space.id, call));
      await ui.tool('Read the map').focus();
      await page.keyboard.press('y');
      await expect.poll(copied).toBe(linkTo(space.id, call));
      await ui.transcript.getByRole('button', { name: 'Copy link to this message' }).first().click();
      await expect.poll(copied).toMatch(/^weft:\/\/space\/[\w-]+#[\w-]+$/);

      // An agent cites the call in another space.
      const other = await weft.space(puppet === undefined ? '' : space.agentId, 'Other');
      await weft.call('SendPrompt', { spaceId: other.id, text: 'Where was it?' });
      const answer = await puppet.turn();
      answer.say(`In ${linkTo(space.id, call)}, or [here](${linkTo(space.id)}).`);
      answer.end();
      await ui.spaces.getByRole('button', { name: /Other/ }).first().click();
      await ui.transcript.getByRole('link', { name: /^weft:/ }).click();
      await expect(ui.tool('Read the map')).toBeFocused();
      expect(address(page)).toContain(`#/space/${space.id}/`);
      await page.keyboard.press('Alt+ArrowLeft');
      await expect(ui.transcript.getByRole('link', { name: 'here' })).toBeVisible();
    },
  );

  test(
    'in an archived conversation can be read, and one that is gone is explained',
    deep,
    async ({ weft, page, ui }) => {
      const { puppet, space } = await weft.puppet();
      await weft.call('UpdateSpace', { spaceId: space.id, title: 'Old' });
      await weft.call('SendPrompt', { spaceId: space.id, text: 'Remember' });
      const turn = await puppet.turn();
      turn.say('Kept for later.');
      turn.end();
      await idle(weft, space);
      const place = await weft.placeOf(space, 'Kept');
      await weft.space('guide', 'New');
      await weft.call('UpdateSpace', { spaceId: space.id, archived: true });
      await weft.open(page);
      await goTo2(page, `#/space/${space.id}/${place.messageId}.${place.segment}`);
      await expect(ui.text('Kept for later.')).toBeVisible();
      await expect(page.getByText('This conversation is archived.')).toBeVisible();
      await ui.picture('jump-archived');
      await page.getByRole('button', { name: 'Unarchive' }).click();
      await expect(ui.composer).toBeVisible();

      await goTo2(page, `#/space/${space.id}/nothing`);
      await expect(ui.notices.getByText("Couldn't go to this location")).toBeVisible();
      await goTo2(page, '#/space/0000000000000000');
      await expect(page.getByRole('alert').getByText(/wasn't found/)).toBeVisible();
    },
  );
});

async function goTo2(page: Page, hash: string): Promise<void> {
  await page.evaluate((to) => {
    window.location.hash = to;
  }, hash);
}
