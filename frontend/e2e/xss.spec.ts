import { xssCorpus } from '../src/markdown/testing/xss-corpus';
import { Canary } from './support/canary';
import { deep } from './support/deep';
import { chunk, diff, type Option, said, thought } from './support/puppet';
import { clickAnswer, openMenu } from './support/requests';
import { rule } from './support/rules';
import type { Screen } from './support/screen';
import { expect, test } from './support/test';

// Everything that an agent, a tool or a user can name is text. The corpus goes into each place
// where it is shown; nothing runs, nothing is fetched, nothing navigates.

const corpus = xssCorpus;
/** JSON cannot carry it through every agent, and a title is one line. */
const printable = (vector: string) => vector.replaceAll('\0', '');

function inEights<T>(all: readonly T[]): T[][] {
  const out: T[][] = [];
  for (let i = 0; i < all.length; i += 8) out.push(all.slice(i, i + 8));
  return out;
}

/** Goes to the first line, which may have to be fetched in pages. */
async function toTop(ui: Screen): Promise<void> {
  await expect(async () => {
    await ui.transcript.evaluate((log) => log.scrollTo(0, 0));
    await expect(ui.transcript.locator('.prompt').first()).toBeInViewport({ timeout: 500 });
    expect(await ui.transcript.evaluate((log) => log.scrollTop)).toBe(0);
  }).toPass();
}

/** One view further down; whether that was the end. */
function down(ui: Screen): Promise<boolean> {
  return ui.transcript.evaluate(async (log) => {
    const before = log.scrollTop;
    log.scrollTop += log.clientHeight * 0.8;
    await new Promise(requestAnimationFrame);
    await new Promise(requestAnimationFrame);
    return log.scrollTop === before;
  });
}

/** Looks at the whole of a conversation, from its top to its end. */
async function readAll(ui: Screen, canary: Canary, where: string): Promise<void> {
  await toTop(ui);
  do await canary.silent(where);
  while (!(await down(ui)));
  await canary.silent(where);
}

/** Opens everything that is on the screen and can be opened. */
function openAll(ui: Screen): Promise<number> {
  return ui.transcript.evaluate((log) => {
    const closed = [...log.querySelectorAll<HTMLElement>('[aria-expanded=false]')];
    for (const button of closed) button.click();
    return closed.length;
  });
}

test.describe('hostile text', () => {
  test.describe.configure({ timeout: 120_000 });
  // Tall, so that much of it is drawn at once.
  test.use({ viewport: { width: 1280, height: 3000 } });

  test('the corpus is large enough', () => {
    expect(new Set(corpus).size).toBeGreaterThanOrEqual(100);
  });

  test('the canary sings where text is not kept as text', async ({ weft, page, ui }) => {
    await weft.space('guide');
    const canary = await Canary.watch(page, weft.url);
    await weft.open(page);
    await expect(ui.composer).toBeVisible();
    await canary.silent('before');
    await page.locator('.greeting').evaluate((element) => {
      element.innerHTML = '<img src="https://evil.test/pixel.gif" onerror="alert(1)">';
    });
    await expect.poll(() => page.evaluate(() => window.weftCanary.length)).toBeGreaterThan(1);
    await expect(canary.silent('after')).rejects.toThrow(/script or policy/);
  });

  test('as the agent’s words, streamed and at rest', async ({ weft, page, ui }) => {
    const { puppet } = await weft.puppet();
    const canary = await Canary.watch(page, weft.url);
    await weft.open(page);
    await ui.send('go');
    const turn = await puppet.turn();
    // In pieces, so that half of each vector is drawn, too.
    for (const [i, vector] of corpus.entries()) {
      const half = vector.length >> 1;
      turn.say(vector.slice(0, half), `m${i}`);
      turn.say(vector.slice(half), `m${i}`);
      if (i % 40 === 0) await canary.silent('streaming');
    }
    turn.end();
    await ui.idle();
    await canary.silent('words');
    await page.reload();
    await expect(ui.transcript).toBeVisible();
    await readAll(ui, canary, 'words, after a reload');
  });

  test('as one text in which the vectors meet', async ({ weft, page, ui }) => {
    const { puppet } = await weft.puppet();
    const canary = await Canary.watch(page, weft.url);
    await weft.open(page);
    await ui.send('go');
    const turn = await puppet.turn();
    turn.updates(corpus.map((vector) => chunk(`${vector}\n\n`)));
    turn.end();
    await ui.idle();
    await readAll(ui, canary, 'one text');
  });

  test('as titles, input, output, names, places and thoughts of tools', deep, async ({ weft, page, ui }) => {
    const { puppet } = await weft.puppet();
    const canary = await Canary.watch(page, weft.url);
    await weft.open(page);
    await ui.send('go');
    const turn = await puppet.turn();
    for (const [i, eight] of inEights(corpus).entries()) {
      const [first = ''] = eight;
      turn.update(thought(eight.join('\n')));
      turn.did({
        toolCallId: `t${i}`,
        title: first,
        kind: ['read', 'edit', 'execute', 'fetch', 'other'][i % 5] ?? 'other',
        rawInput:
          i % 2 === 0
            ? Object.fromEntries(eight.map((vector, n) => [`${n} ${vector.slice(0, 60)}`, vector]))
            : { command: eight.join('; '), nested: { eight } },
        status: i % 3 === 0 ? 'failed' : 'completed',
        content: [...eight.map(said), diff(first, eight.join('\n'), eight.toReversed().join('\n'))],
        rawOutput: { eight },
        locations: eight.map((path) => ({ path })),
      });
      // Each call is a row of its own, and opened as soon as it is there.
      turn.say('.');
    }
    turn.end();
    await ui.idle();
    await toTop(ui);
    do {
      while ((await openAll(ui)) > 0);
    } while (!(await down(ui)));
    await expect(ui.transcript.locator('.detail').first()).toContainText('Output');
    await readAll(ui, canary, 'all open');
  });

  test('as the title of every call, in one group', async ({ weft, page, ui }) => {
    const { puppet } = await weft.puppet();
    const canary = await Canary.watch(page, weft.url);
    await weft.open(page);
    await ui.send('go');
    const turn = await puppet.turn();
    for (const [i, title] of corpus.entries()) turn.did({ toolCallId: `t${i}`, title, kind: title });
    turn.end();
    await ui.idle();
    await ui.group(`${corpus.length} tool calls`).click();
    const more = ui.transcript.getByRole('button', { name: /earlier calls?$/ });
    for (let i = 0; i < 20 && (await more.count()) > 0; i++) await more.click();
    await expect(ui.transcript.locator('.tool')).toHaveCount(corpus.length);
    await readAll(ui, canary, 'titles');
  });

  test('as what a permission asks, and its answers', deep, async ({ weft, page, ui }) => {
    const { puppet } = await weft.puppet();
    const canary = await Canary.watch(page, weft.url);
    await weft.open(page);
    await ui.send('go');
    const turn = await puppet.turn();
    const kinds = ['allow_once', 'allow_always', 'reject_once', 'reject_always'] as const;
    const answers: Promise<string>[] = [];
    for (let from = 0; from < corpus.length; from += 30) {
      const some = corpus.slice(from, from + 30);
      const options = some.map(
        (name, i): Option => ({ optionId: `${from + i} ${name}`, name, kind: kinds[i % 4] ?? 'allow_once' }),
      );
      const call = {
        toolCallId: `t${from}`,
        title: some.join(' '),
        kind: 'execute',
        rawInput: { command: some.join('\n') },
      };
      answers.push(turn.ask(call, options));
    }
    await expect(ui.permissions).toHaveCount(answers.length);
    await readAll(ui, canary, 'permission');
    let drawn = 0;
    for (const card of await ui.permissions.all()) {
      for (const side of ['Allow', 'Reject'] as const) {
        const menu = await openMenu(card, side);
        drawn += await menu.locator('.option').count();
        await canary.silent(`the menu of ${side}`);
        await page.keyboard.press('Escape');
        await expect(menu).toBeHidden();
      }
    }
    expect(drawn).toBe(corpus.length);
    for (const [i, answer] of answers.entries()) {
      const menu = await openMenu(ui.permissions.first(), 'Reject');
      await clickAnswer(menu, menu.locator('.option').nth(1));
      expect(await answer).toBe(`${i * 30 + 3} ${corpus[i * 30 + 3]}`);
      await expect(ui.permissions).toHaveCount(answers.length - i - 1);
    }
    turn.end();
    await ui.idle();
    await canary.silent('answered');
    await ui.command('Permission history');
    const decisions = page.getByRole('list', { name: 'Decisions' }).getByRole('listitem');
    await expect(decisions).toHaveCount(answers.length);
    for (const row of await decisions.getByRole('button').all()) await row.click();
    await canary.silent('history');
  });

  test('as the words of rules, and of what they decided', async ({ weft, page, ui }) => {
    const { puppet } = await weft.puppet();
    const canary = await Canary.watch(page, weft.url);
    let saved = 0;
    for (const text of corpus) {
      // Not every text is a pattern for files.
      await weft.saveRules(rule({ effect: 'reject', kind: 'edit', path: text })).then(
        () => saved++,
        () => {},
      );
    }
    expect(saved).toBeGreaterThan(20);
    await weft.open(page);
    await ui.send('go');
    // The agent doesn't say that it asks: the user is asked first, with the words of the rules.
    const hold = ui.transcript.getByRole('region', { name: /^Question: / });
    await hold.getByRole('radio', { name: 'Send anyway' }).check();
    await canary.silent('before the prompt');
    await clickAnswer(hold, hold.getByRole('button', { name: 'Send prompt' }));
    const turn = await puppet.turn();
    for (const [i, text] of corpus.entries()) {
      const call = { toolCallId: `t${i}`, title: text, kind: 'edit', locations: [{ path: text }] };
      // What no rule refuses is asked: a turn that ends answers it.
      void turn.ask(call);
    }
    await expect(ui.transcript).toContainText(/\d+ rejected/);
    turn.end();
    await ui.idle();
    // The rows of the group that were rejected say by which rule.
    const group = ui.group(/./);
    if ((await group.getAttribute('aria-expanded')) === 'false') await group.click();
    await ui.transcript.getByRole('button', { name: /\d+ earlier calls/ }).click();
    await expect(ui.transcript).toContainText('Rejected by a rule');
    await canary.silent('decided');
    await ui.command('Permission rules');
    await expect(page.getByRole('list', { name: 'Rules' }).getByRole('listitem').first()).toBeVisible();
    await canary.silent('rules');
  });

  test('as plans, errors, stop reasons, and updates of unknown kinds', async ({ weft, page, ui }) => {
    const { puppet, space } = await weft.puppet();
    const canary = await Canary.watch(page, weft.url);
    await weft.open(page);
    await ui.send('go');
    const turn = await puppet.turn();
    turn.plan(
      corpus.map((content, i) => ({
        content,
        status: ['pending', 'in_progress', 'completed'][i % 3] ?? 'pending',
      })),
    );
    await ui.plan.getByRole('button').click();
    await expect(ui.plan.getByRole('listitem')).toHaveCount(corpus.length);
    await canary.silent('plan');
    for (const vector of corpus) turn.update({ sessionUpdate: printable(vector) || 'x', vector });
    turn.update({
      sessionUpdate: 'available_commands_update',
      availableCommands: corpus.map((name) => ({ name, description: name })),
    });
    turn.update({ sessionUpdate: 'session_info_update', title: corpus[0] });
    for (const name of corpus.slice(-40)) {
      turn.update({
        sessionUpdate: 'agent_message_chunk',
        content: { type: 'resource_link', uri: name, name, mimeType: name, title: name, description: name },
      });
    }
    turn.end('<img src=x onerror=alert(1)>');
    await ui.idle();
    await ui.transcript.getByRole('button', { name: /updates that Weft can't show$/ }).click();
    await readAll(ui, canary, 'opaque');
    for (const vector of corpus.slice(116, 122)) {
      await weft.call('SendPrompt', { spaceId: space.id, text: vector });
      const next = await puppet.turn();
      next.fail(vector, -32603, { details: vector });
      await expect.poll(async () => (await weft.call('OpenSpace', { spaceId: space.id })).runs).toEqual([]);
    }
    await readAll(ui, canary, 'errors');
    await page.keyboard.press('Control+Shift+L');
    await expect(ui.log.locator('.log-entry').first()).toBeVisible();
    await canary.silent('log');
  });

  test('as names of agents and titles of spaces', async ({ weft, page, ui }) => {
    const vectors = corpus.map(printable).filter((vector) => vector.trim() !== '');
    for (const name of vectors.slice(100, 130))
      await weft.agent(name, name.replaceAll('\n', ' '), [name], { A: name });
    const { puppet, agent } = await weft.puppet(vectors[130] ?? '', {
      initialize: {
        agentInfo: { name: vectors[120], title: vectors[121], version: vectors[122] },
        authMethods: vectors.map((name) => ({ id: name, name, description: name })),
        agentCapabilities: { loadSession: false, [vectors[123] ?? '']: { [vectors[124] ?? '']: true } },
      },
    });
    for (const title of vectors) await weft.space(agent.id, title);
    const canary = await Canary.watch(page, weft.url);
    await weft.open(page);
    const lines = ui.spaces.getByRole('listitem');
    const all = vectors.length + 1;
    await expect(lines.first()).toHaveAttribute('aria-setsize', `${all}`);
    // Only what is in view is drawn.
    await lines.first().locator('.space-button').focus();
    for (let at = 1; at < all; at = Math.min(at + 10, all)) {
      await page.keyboard.press('PageDown');
      await expect(
        ui.spaces.locator(`[aria-posinset="${Math.min(at + 10, all)}"] .space-button`),
      ).toBeFocused();
    }
    await canary.silent('sidebar');
    await page.keyboard.press('Control+k');
    await expect(ui.palette.getByRole('option').nth(50)).toBeAttached();
    await canary.silent('palette');
    await page.keyboard.press('Escape');
    await ui.send('go');
    const turn = await puppet.turn();
    turn.say('Hello.');
    turn.end();
    await ui.idle();
    await canary.silent('space');
    await ui.command('Archive this space');
    await expect(ui.notices).toContainText('was archived');
    await canary.silent('notice');
    await ui.openSettings();
    await canary.silent('settings');
    const row = page.locator(`[id="agent-${agent.id}"]`);
    await row.getByRole('button', { name: 'Test' }).click();
    await expect(row).toContainText('Works, answered in');
    await canary.silent('test');
  });
});

test.describe('a link of the agent', () => {
  test('opens a window of its own, and only when it is clicked', async ({ weft, page, ui, context }) => {
    const asked: string[] = [];
    await context.route(/evil\.test|example\.test/, (route) => {
      asked.push(route.request().url());
      return route.fulfill({ body: 'elsewhere' });
    });
    const { puppet } = await weft.puppet();
    await weft.open(page);
    await ui.send('go');
    const turn = await puppet.turn();
    turn.say('See [the site](https://example.test/page) and ![a picture](https://evil.test/pixel.png).');
    turn.end();
    await ui.idle();
    expect(asked).toEqual([]);
    const popup = page.waitForEvent('popup');
    await ui.transcript.getByText('the site').click();
    const opened = await popup;
    await opened.waitForURL('https://example.test/page');
    expect(await opened.evaluate(() => window.opener)).toBeNull();
    await opened.close();
    expect(new URL(page.url()).origin).toBe(weft.url);
    expect(asked).toEqual(['https://example.test/page']);
  });
});
