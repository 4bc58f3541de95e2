import type { Locator, Page } from '@playwright/test';
import { accessible } from './support/axe';
import { deep } from './support/deep';
import { callGateway, takesHttp } from './support/gateway';
import { diff, type Turn, yesOrNo } from './support/puppet';
import { armed, reject } from './support/requests';
import type { Screen } from './support/screen';
import { expect, test } from './support/test';
import { themes } from './support/themes';
import type { Weft } from './support/weft';

// The inbox as a screen: all that waits in all spaces, answered there by keys.

class Inbox {
  private readonly page: Page;
  constructor(page: Page) {
    this.page = page;
  }
  get heading(): Locator {
    return this.page.getByRole('heading', { name: 'Inbox', level: 1 });
  }
  get rows(): Locator {
    return this.page.getByRole('listbox', { name: 'Inbox items' }).getByRole('option');
  }
  get chosen(): Locator {
    return this.page.getByRole('option', { selected: true });
  }
  get pane(): Locator {
    return this.page.getByRole('region', { name: 'Details' });
  }
  /** The request that is shown. */
  card(name: string | RegExp): Locator {
    return this.pane.getByRole('region', { name });
  }
}

/** Where the user is before anything waits. */
async function begin(weft: Weft, page: Page, ui: Screen): Promise<Inbox> {
  await weft.space('guide', 'Here');
  await weft.open(page);
  await ui.spaces.getByRole('button', { name: /^Here/ }).click();
  await expect(page.getByRole('heading', { name: 'What should Guide do?' })).toBeVisible();
  return new Inbox(page);
}

async function started(weft: Weft, name: string, title: string): Promise<{ turn: Turn; spaceId: string }> {
  const { puppet, space } = await weft.puppet(name);
  await weft.call('UpdateSpace', { spaceId: space.id, title });
  await weft.call('SendPrompt', { spaceId: space.id, text: `for ${name}` });
  return { turn: await puppet.turn(), spaceId: space.id };
}

const change = (toolCallId: string, path: string) => ({
  toolCallId,
  title: `Edit ${path}`,
  kind: 'edit',
  content: [diff(path, 'apples: 1\n', 'apples: 2\n')],
});
const run = (toolCallId: string, command: string) => ({
  toolCallId,
  title: command,
  kind: 'execute',
  rawInput: { command },
});
const which = {
  mode: 'form',
  message: 'Which tree is next?',
  requestedSchema: {
    type: 'object',
    properties: { tree: { type: 'string', enum: ['apple', 'pear'] } },
    required: ['tree'],
  },
};

/** Robin asks in Orchard, and then Wren in Wood. */
async function twoAsk(weft: Weft, ui: Screen, lines: [robins: string, wrens: string]) {
  const robin = await started(weft, 'Robin', 'Orchard');
  const first = robin.turn.ask(run('a', lines[0]), yesOrNo);
  await ui.waiting(1);
  const wren = await started(weft, 'Wren', 'Wood');
  const second = wren.turn.ask(run('b', lines[1]), yesOrNo);
  await ui.waiting(2);
  return { robin, wren, first, second };
}

/** A turn that ends well, and one that doesn't. */
async function ended(weft: Weft): Promise<void> {
  const { turn } = await started(weft, 'Lark', 'Hedges');
  turn.say('The hedge is cut.\n\nThe clippings are on the compost.');
  turn.end();
  const { puppet, space } = await weft.puppet('Finch');
  await weft.call('UpdateSpace', { spaceId: space.id, title: 'Seeds' });
  await weft.call('SendPrompt', { spaceId: space.id, text: 'for Finch' });
  const failing = await puppet.turn();
  failing.say('I count the seeds.');
  puppet.crash(3, 'no more seeds\n');
}

/** How many requests wait, as the backend knows it. */
const waiting = async (weft: Weft) =>
  (await weft.call('ListSpaces', { archived: false, query: '' }))?.flatMap(({ waits }) => waits ?? []).length;

test.describe('the inbox', () => {
  test('is worked through by keys alone, across spaces', async ({ weft, page, ui }) => {
    const inbox = await begin(weft, page, ui);
    await page.keyboard.press('Control+j');
    await expect(inbox.heading).toBeVisible();
    await expect(page.getByText('Nothing needs your attention')).toBeVisible();
    await accessible(page, 'the empty inbox');
    await page.keyboard.press('Escape');
    await expect(page.getByRole('heading', { name: 'What should Guide do?' })).toBeVisible();

    const robin = await started(weft, 'Robin', 'Orchard');
    const pruned = robin.turn.ask(change('c', 'apples.txt'), yesOrNo);
    await ui.waiting(1);
    const wren = await started(weft, 'Wren', 'Wood');
    const felled = wren.turn.ask(run('c', 'fell --all'), yesOrNo);
    await ui.waiting(2);
    const named = wren.turn.request('elicitation/create', which);
    await ui.waiting(3);
    await ended(weft);
    // Each space is in the sidebar once, with the gravest of what waits in it.
    for (const row of [
      /^Needs your answer *Orchard/,
      /^Needs your answer *Wood/,
      /^Failed *Seeds/,
      /^Finished *Hedges/,
    ])
      await expect(ui.spaces.getByRole('button', { name: row })).toHaveCount(1);

    await page.keyboard.press('Control+j');
    await expect(inbox.rows).toHaveText([
      /apples\.txt.*Orchard/,
      /fell --all.*Wood/,
      /Which tree is next\?.*Wood/,
      /Finch failed.*Seeds/,
      /Lark finished.*Hedges/,
    ]);
    await expect(inbox.chosen).toHaveText(/apples\.txt/);
    const first = inbox.card(/^Permission required: Change .*apples\.txt/);
    await expect(first).toContainText('apples: 2');
    await accessible(page, 'the inbox');
    await ui.picture('light-inbox-request');

    // Up and down, by letters and arrows; Ctrl+J moves on, and from the last to the first.
    await page.keyboard.press('j');
    await expect(inbox.chosen).toHaveText(/fell --all/);
    await page.keyboard.press('ArrowDown');
    await expect(inbox.chosen).toHaveText(/Which tree/);
    await page.keyboard.press('k');
    await page.keyboard.press('ArrowUp');
    await expect(inbox.chosen).toHaveText(/apples\.txt/);
    for (let i = 0; i < 5; i++) await page.keyboard.press('Control+j');
    await expect(inbox.chosen).toHaveText(/apples\.txt/);

    await armed(first);
    await page.keyboard.press('1');
    expect(await pruned).toBe('yes');
    // The next one is chosen, in a space that was never open in this window.
    const second = inbox.card('Permission required: fell --all');
    await expect(inbox.chosen).toHaveText(/fell --all/);
    await armed(second);
    await page.keyboard.press('2');
    expect(await felled).toBe('no');

    const third = inbox.card(/^Question: Which tree is next/);
    await expect(third).toBeVisible();
    await page.keyboard.press('ArrowRight');
    await expect(third.getByRole('radio', { name: 'apple' })).toBeFocused();
    await page.keyboard.press('ArrowDown');
    await armed(third);
    await page.keyboard.press('Enter');
    expect(await named).toMatchObject({ action: 'accept', content: { tree: 'pear' } });

    await expect(inbox.chosen).toHaveText(/Finch failed/);
    await expect(inbox.pane).toContainText('no more seeds');
    await expect(inbox.pane).toContainText('I count the seeds.');
    await accessible(page, 'a failed run in the inbox');
    await ui.picture('light-inbox-failed');
    await page.keyboard.press('d');
    await expect(inbox.chosen).toHaveText(/Lark finished/);
    await expect(inbox.rows).toHaveCount(1);
    await expect(inbox.pane).toContainText('The clippings are on the compost.');
    await ui.picture('light-inbox-finished');
    await page.keyboard.press('Enter');
    await expect(page.getByRole('heading', { name: 'Hedges', level: 1 })).toBeVisible();
    await page.keyboard.press('Control+j');
    await expect(page.getByText('Nothing needs your attention')).toBeVisible();
    robin.turn.end();
    wren.turn.end();
  });

  test(
    'takes an answer back until the agent has it, and sends what is left when the user leaves',
    deep,
    async ({ weft, page, ui }) => {
      const inbox = await begin(weft, page, ui);
      const asked = await twoAsk(weft, ui, ['prune a', 'fell b']);
      await page.keyboard.press('Control+j');
      const first = inbox.card('Permission required: prune a');
      const second = inbox.card('Permission required: fell b');
      await armed(first);
      await page.keyboard.press('1');
      await expect(inbox.rows).toHaveText([/fell b/]);
      await expect(ui.notices).toContainText('Answered in “Orchard”');
      await page.keyboard.press('u');
      await expect(inbox.rows).toHaveText([/prune a/, /fell b/]);
      await expect(inbox.chosen).toHaveText(/prune a/);
      await expect(ui.notices).not.toContainText('Answered');
      expect(await waiting(weft)).toBe(2);
      await armed(first);
      await page.keyboard.press('2');
      expect(await asked.first).toBe('no');

      // The last one, by mouse: the inbox is empty until it is back.
      await armed(second);
      await page.keyboard.press('2');
      await expect(page.getByText('Nothing needs your attention')).toBeVisible();
      await accessible(page, 'an answer that can be taken back');
      await ui.picture('light-inbox-undo');
      await ui.notices.getByRole('button', { name: 'Undo' }).click();
      await expect(inbox.chosen).toHaveText(/fell b/);
      await armed(second);
      await page.keyboard.press('1');
      await expect(page.getByText('Nothing needs your attention')).toBeVisible();
      await page.keyboard.press('Escape');
      await expect(ui.notices).not.toContainText('Answered');
      expect(await asked.second).toBe('yes');
      asked.robin.turn.end();
      asked.wren.turn.end();
    },
  );

  test('opens the space at the request, and closes to where the user was', async ({ weft, page, ui }) => {
    const inbox = await begin(weft, page, ui);
    const { turn } = await started(weft, 'Robin', 'Orchard');
    const answers = ['a', 'b'].map((id) => turn.ask(run(id, `dig ${id}`), yesOrNo));
    await ui.waiting(2);
    await ui.openSettings();
    await page.keyboard.press('Control+j');
    await expect(inbox.chosen).toHaveText(/dig a/);
    await page.getByRole('button', { name: 'Close the inbox' }).click();
    await expect(page.getByRole('heading', { name: 'Settings', level: 1 })).toBeVisible();
    await page.keyboard.press('Escape');
    await ui.command('Inbox');
    await expect(inbox.chosen).toHaveText(/dig a/);
    await page.keyboard.press('j');
    await expect(inbox.chosen).toHaveText(/dig b/);
    await page.keyboard.press('Enter');
    const second = ui.transcript.getByRole('region', { name: 'Permission required: dig b' });
    await expect(second).toBeFocused();
    await armed(second);
    await page.keyboard.press('2');
    expect(await answers[1]).toBe('no');
    turn.end();
    await page.keyboard.press('Control+j');
    await page.keyboard.press('?');
    await expect(page.getByRole('dialog', { name: 'Keyboard shortcuts' })).toContainText(
      'Dismiss a failed or finished turn',
    );
  });

  test('never gives an answer to a request that has moved into the place of another', async ({
    weft,
    page,
    ui,
  }) => {
    const inbox = await begin(weft, page, ui);
    const { wren, first, second } = await twoAsk(weft, ui, ['dig a', 'dig b']);
    const third = (await started(weft, 'Finch', 'Seeds')).turn.ask(run('c', 'dig c'), yesOrNo);
    await ui.waiting(3);
    await page.keyboard.press('Control+j');

    // Every key that could answer, in the task in which the next card appears: none is taken.
    await armed(inbox.card('Permission required: dig a'));
    await page.evaluate(() => {
      new MutationObserver((_, observer) => {
        const card = document.querySelector('[data-request-pane] .permission[aria-label$="dig b"]');
        if (card === null) return;
        observer.disconnect();
        for (const key of ['1', '2', ' ', 'e', 'Backspace'])
          document.activeElement?.dispatchEvent(
            new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }),
          );
        document.documentElement.dataset['pounced'] = 'true';
      }).observe(document.body, { subtree: true, childList: true });
    });
    await page.keyboard.press('1');
    expect(await first).toBe('yes');
    await expect(page.locator('html')).toHaveAttribute('data-pounced', 'true');
    await armed(inbox.card('Permission required: dig b'));
    expect(await waiting(weft)).toBe(2);

    // A request that leaves by itself makes no room: the key that was meant for it answers nothing.
    wren.turn.end();
    expect(await second).toBe('cancelled');
    await expect(inbox.pane).toContainText('This request no longer needs your answer.');
    await expect(inbox.rows.filter({ hasText: 'dig' })).toHaveCount(1);
    await page.keyboard.press('1');
    await page.keyboard.press('2');
    await expect(inbox.pane).toContainText('This request no longer needs your answer.');
    await accessible(page, 'a request that is gone');
    await ui.picture('light-inbox-gone');
    expect(await waiting(weft)).toBe(1);
    await page.keyboard.press('j');
    await armed(inbox.card('Permission required: dig c'));
    // A key that is held down answers nothing either.
    await page.evaluate(() =>
      document.activeElement?.dispatchEvent(
        new KeyboardEvent('keydown', { key: '1', repeat: true, bubbles: true, cancelable: true }),
      ),
    );
    expect(await waiting(weft)).toBe(1);
    await page.keyboard.press('2');
    expect(await third).toBe('no');
  });

  test('lets nothing be allowed that was not in view', async ({ weft, page, ui }) => {
    const inbox = await begin(weft, page, ui);
    const { turn } = await started(weft, 'Robin', 'Orchard');
    const long = Array.from({ length: 120 }, (_, i) => `echo tree ${i}`).join('\n');
    const answer = turn.ask(run('a', long), yesOrNo);
    await ui.waiting(1);
    await page.keyboard.press('Control+j');
    const card = inbox.card(/^Permission required: echo tree 0/);
    const reject = card.getByRole('button', { name: 'Reject', exact: true });
    await expect(reject).not.toBeInViewport();
    await armed(card);
    // Where the answers are out of view, a number shows them and chooses nothing.
    await page.keyboard.press('2');
    await expect(reject).toBeInViewport();
    await armed(card);
    expect(await waiting(weft)).toBe(1);
    await page.keyboard.press('2');
    expect(await answer).toBe('no');
    turn.end();
  });

  test('answers a display by its number, and continues after a click', deep, async ({ weft, page, ui }) => {
    const inbox = await begin(weft, page, ui);
    const { puppet, space } = await weft.puppet('Robin', takesHttp);
    await weft.call('SendPrompt', { spaceId: space.id, text: 'go' });
    const turn = await puppet.turn();
    const approved = callGateway(puppet, 'showApprovalForm', {
      title: 'Fell the tree?',
      targetSpaceId: space.id,
    });
    await ui.waiting(1);
    const wren = await started(weft, 'Wren', 'Wood');
    const dug = wren.turn.ask(run('a', 'dig a'), yesOrNo);
    await ui.waiting(2);
    const sown = wren.turn.ask(run('b', 'sow b'), yesOrNo);
    await ui.waiting(3);
    await page.keyboard.press('Control+j');
    const display = inbox.card('Approval: Fell the tree?');
    await armed(display);
    await accessible(page, 'a display in the inbox');
    await page.keyboard.press('2');
    expect((await approved).text).toContain('false');
    await reject(inbox.card('Permission required: dig a'));
    expect(await dug).toBe('no');
    // The keys are those of the inbox again, though what was clicked is gone.
    const last = inbox.card('Permission required: sow b');
    await armed(last);
    await page.keyboard.press('1');
    expect(await sown).toBe('yes');
    await expect(page.getByText('Nothing needs your attention')).toBeVisible();
    await page.keyboard.press('Escape');
    await expect(page.getByRole('heading', { name: 'What should Guide do?' })).toBeVisible();
    turn.end();
    wren.turn.end();
  });

  for (const theme of themes)
    test.describe(`in the ${theme}`, () => {
      test.use({ colorScheme: theme });

      test(
        'has room for one column in a small window, and for both in a large one',
        deep,
        async ({ weft, page, ui }) => {
          const inbox = await begin(weft, page, ui);
          const { turn } = await started(weft, 'Robin', 'Orchard');
          const answer = turn.ask(change('c', 'apples.txt'), yesOrNo);
          await ended(weft);
          await expect(ui.spaces.getByRole('button', { name: /^Failed *Seeds/ })).toBeVisible();
          await page.setViewportSize({ width: 760, height: 700 });
          await ui.inbox.click();
          await expect(inbox.rows).toHaveCount(3);
          await expect(inbox.pane).toHaveCount(0);
          await accessible(page, 'the list of the inbox');
          await ui.picture(`${theme}-inbox-760-list`);
          // What is not shown is not answered.
          await page.keyboard.press('1');
          await page.keyboard.press('Enter');
          const card = inbox.card(/^Permission required: /);
          await expect(card).toBeVisible();
          await expect(inbox.rows).toHaveCount(0);
          await accessible(page, 'a request in a small inbox');
          await ui.picture(`${theme}-inbox-760-request`);
          await page.keyboard.press('Escape');
          await expect(inbox.rows).toHaveCount(3);
          await page.keyboard.press('ArrowRight');
          await page.getByRole('button', { name: 'Back' }).click();
          await expect(inbox.rows).toHaveCount(3);
          await page.setViewportSize({ width: 1720, height: 1000 });
          await expect(card).toBeVisible();
          await accessible(page, 'a large inbox');
          await ui.picture(`${theme}-inbox-1720`);
          await page.keyboard.press('j');
          await expect(inbox.pane).toContainText('no more seeds');
          await accessible(page, 'a failure in a large inbox');
          await ui.picture(`${theme}-inbox-1720-failed`);
          await page.keyboard.press('k');
          await armed(card);
          await page.keyboard.press('2');
          expect(await answer).toBe('no');
          turn.end();
        },
      );
    });

  test('holds 200 requests of 50 spaces', deep, async ({ weft, page, ui }) => {
    const { puppet, agent } = await weft.actor('Robin');
    for (let i = 0; i < 50; i++) {
      const space = await weft.space(agent.id, `Space ${i}`);
      await weft.call('SendPrompt', { spaceId: space.id, text: 'go' });
      const turn = await puppet.turn();
      for (let n = 0; n < 4; n++) void turn.ask(run(`t${n}`, `dig ${i} ${n}`), yesOrNo);
    }
    await expect.poll(() => waiting(weft)).toBe(200);
    const inbox = await begin(weft, page, ui);
    await ui.waiting(200);
    await page.keyboard.press('Control+j');
    await expect(inbox.card(/^Permission required: dig /)).toBeVisible();
    await expect(inbox.chosen).toHaveAttribute('aria-setsize', '200');
    expect(await inbox.rows.count()).toBeLessThan(60);
    for (let i = 0; i < 40; i++) await page.keyboard.press('j');
    await expect(inbox.chosen).toHaveAttribute('aria-posinset', '41');
    await page.keyboard.press('End');
    await expect(inbox.chosen).toHaveAttribute('aria-posinset', '200');
    await expect(inbox.chosen).toBeInViewport();
    const card = inbox.card(/^Permission required: dig /);
    await armed(card);
    await page.keyboard.press('1');
    await expect(inbox.chosen).toHaveAttribute('aria-posinset', '199');
    await expect.poll(() => waiting(weft)).toBe(199);
    await ui.picture('light-inbox-many');
  });
});
