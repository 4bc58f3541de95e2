import type { Page } from '@playwright/test';
import type { Json } from '../src/transcript/types';
import type { Space } from '../src/transport/api';
import { accessible } from './support/axe';
import { deep } from './support/deep';
import { callGateway, draws, ownTool, takesHttp } from './support/gateway';
import { picture } from './support/picture';
import { answerByKey, armed, clickAnswer, reject } from './support/requests';
import { expect, test } from './support/test';
import { themes } from './support/themes';
import type { Weft } from './support/weft';

// The agent draws as every agent does: by the gateway that it is handed.

/** A meadow under a sky, so that one sees where a picture is. */
const png = picture(320, 200);

const inputs = {
  showApprovalForm: {
    title: 'Release the budget for the autumn',
    description: 'The orchard needs two ladders and a press before the pears are ripe.',
    details: [
      { label: 'Sum', value: '4 200 €' },
      { label: 'Asked by', value: 'Orchard' },
      { label: 'Until', value: '30 November' },
    ],
    approveLabel: 'Release',
    rejectLabel: 'Keep back',
    comment: true,
  },
  showChoice: {
    question: 'Which fruit is picked first?',
    options: [
      { id: 'apple', label: 'Apple', description: 'Ripe since Monday' },
      { id: 'pear', label: 'Pear' },
      { id: 'quince', label: 'Quince', description: 'Needs another week' },
    ],
    other: true,
  },
  showForm: {
    title: 'Delivery',
    description: 'Where shall the crates go?',
    schema: {
      type: 'object',
      required: ['street'],
      properties: {
        street: { type: 'string', title: 'Street' },
        crates: { type: 'integer', title: 'Crates', minimum: 1, maximum: 40 },
        how: { type: 'string', title: 'How', enum: ['bike', 'van', 'on foot'] },
        gift: { type: 'boolean', title: 'It is a gift' },
      },
    },
    values: { street: 'Elm Lane 4', how: 'van' },
    submitLabel: 'Deliver',
  },
  showCard: {
    title: 'Picking ladder',
    subtitle: 'Ash, three metres',
    text: 'Stands on slopes, and folds flat for the winter.',
    image: png,
    price: '89 €',
    badges: ['New', 'In stock'],
    fields: [
      { label: 'Weight', value: '7 kg' },
      { label: 'Carries', value: '120 kg' },
    ],
    actions: [
      { id: 'buy', label: 'Buy', style: 'primary' },
      { id: 'later', label: 'Later' },
      { id: 'never', label: 'Never show again', style: 'danger' },
    ],
  },
  showDiff: {
    path: 'src/press.ts',
    oldText: 'export const litres = 40;\nexport const crates = 3;\n',
    newText: 'export const litres = 55;\nexport const crates = 3;\n',
    language: 'ts',
  },
  showImage: { src: png, alt: 'The orchard in May', caption: 'Behind the house' },
  showMarkdown: { text: '## Harvest\n\n| fruit | crates |\n| --- | --- |\n| apples | 12 |\n| pears | 5 |\n' },
  showProgress: {
    title: 'Picking the lower meadow',
    percent: 40,
    steps: [
      { label: 'Set the ladders', status: 'completed' },
      { label: 'Pick', status: 'running' },
      { label: 'Carry the crates', status: 'pending' },
      { label: 'Weigh', status: 'failed' },
    ],
  },
  showTable: {
    title: 'Crates by day',
    columns: [
      { key: 'day', label: 'Day' },
      { key: 'apples', label: 'Apples' },
      { key: 'pears', label: 'Pears' },
    ],
    rows: [
      { day: 'Monday', apples: 12, pears: 5 },
      { day: 'Tuesday', apples: 9, pears: 14 },
      { day: 'Wednesday', apples: 21, pears: 3 },
    ],
  },
  showChart: {
    title: 'Crates a day',
    type: 'bar',
    labels: ['Monday', 'Tuesday', 'Wednesday'],
    series: [
      { name: 'Apples', data: [12, 9, 21] },
      { name: 'Pears', data: [5, 14, 3] },
    ],
  },
  weighHarvest: { crates: 12, heavy: true, note: 'A tool of the user’s own' },
} as const;
type Name = keyof typeof inputs;
const names = Object.keys(inputs) as Name[];
const asking: Name[] = ['showApprovalForm', 'showChoice', 'showForm', 'showCard'];

/** What an agent sends to ask with it. */
const inputOf = (name: Name): object =>
  name === 'showCard' ? { ...inputs.showCard, wait: true } : inputs[name];

/** A display that the user is asked with. The test may end before it is answered. */
function asks(...args: Parameters<typeof draws>): ReturnType<typeof draws> {
  const heard = draws(...args);
  heard.catch(() => {});
  return heard;
}

/** Answers what a tool shows, from elsewhere. */
async function answer(weft: Weft, { id: spaceId }: Space, tool: string, said: Json): Promise<void> {
  const { page } = await weft.call('OpenSpace', { spaceId });
  for (const message of page.messages ?? []) {
    const items = (message.segments ?? []).flatMap((segment) => segment.items ?? []);
    const call = items.find(({ call }) => call?.toolName === tool && call.status === 'waiting')?.call;
    if (call === undefined) continue;
    const { toolCallId } = call;
    await weft.call('AnswerDisplay', { spaceId, messageId: message.id, toolCallId, answer: said });
    return;
  }
  throw new Error(`${tool} does not wait`);
}

const shown = (page: Page, name: string | RegExp) => page.getByRole('region', { name });
test.describe('displays', () => {
  test('stand in their place, and part the group that they came in', async ({ weft, page, ui }) => {
    const { puppet, space } = await weft.puppet('Robin', takesHttp);
    await weft.open(page);
    await ui.send('go');
    const turn = await puppet.turn();
    turn.say('First I look.');
    turn.did({ toolCallId: 'r1', title: 'Read a', kind: 'read' });
    turn.did({ toolCallId: 'r2', title: 'Read b', kind: 'read' });
    await draws(turn, puppet, 'showCard', inputs.showCard, space);
    turn.did({ toolCallId: 'r3', title: 'Read c', kind: 'read' });
    turn.did({ toolCallId: 'r4', title: 'Read d', kind: 'read' });
    turn.say('That is all.');
    turn.end();
    await ui.idle();
    const order = () =>
      ui.transcript
        .locator('.row')
        .evaluateAll((rows) => rows.map((row) => (row as HTMLElement).dataset['kind']));
    await expect(shown(page, 'Card: Picking ladder')).toContainText('89 €');
    const kinds = ['head', 'prose', 'group', 'shown', 'group', 'prose', 'footer'];
    expect((await order()).filter((kind) => kind !== undefined)).toEqual(kinds);
    await page.reload();
    await expect(shown(page, 'Card: Picking ladder')).toContainText('89 €');
    expect((await order()).filter((kind) => kind !== undefined)).toEqual(kinds);
  });

  test('are none where an agent only says so', async ({ weft, page, ui }) => {
    const { puppet } = await weft.puppet();
    await weft.open(page);
    await ui.send('go');
    const turn = await puppet.turn();
    const rawInput = inputs.showApprovalForm;
    turn.did({ toolCallId: 'a', title: 'showApprovalForm', kind: 'display', rawInput });
    const heard = turn.ask({ toolCallId: 'b', title: 'Give me the keys', kind: 'display', rawInput }, [
      { optionId: 'display:answer', name: 'Hand them over', kind: 'allow_once' },
      { optionId: 'display:cancel', name: 'Keep them', kind: 'reject_once' },
    ]);
    await expect(ui.permissions).toHaveCount(1);
    await expect(ui.permissions).toContainText('Give me the keys');
    await expect(shown(page, /^Approval: /)).toHaveCount(0);
    await reject(ui.permissions, 'Keep them');
    expect(await heard).toBe('display:cancel');
    turn.end();
    await ui.idle();
  });

  test(
    'are answered by keys, and another window shows the answer at once',
    deep,
    async ({ weft, page, ui, context }) => {
      const { puppet, space } = await weft.puppet('Robin', takesHttp);
      await weft.open(page);
      await ui.send('go');
      const turn = await puppet.turn();
      const [approved, chosen, filled] = asking.map((name) => asks(turn, puppet, name, inputOf(name), space));
      await expect(shown(page, /^Card: /)).toContainText('Needs your answer');
      const second = await context.newPage();
      await second.goto(page.url());
      const approval = shown(page, /^Approval: /);
      await expect(approval).toContainText('Needs your answer');
      await expect(shown(second, /^Approval: /)).toContainText('Needs your answer');
      // The composer keeps what is typed there, numbers too.
      await ui.composer.fill('2 crates');
      await ui.composer.press('1');
      await expect(approval).toContainText('Needs your answer');
      await ui.composer.fill('');
      await page.keyboard.press('Control+Shift+j');
      await expect(approval).toBeFocused();
      await armed(approval);
      await page.keyboard.press('2');
      expect(JSON.parse((await approved)?.text ?? '')).toMatchObject({ approved: false });
      for (const one of [page, second]) {
        await expect(shown(one, /^Approval: /)).toContainText('Answered by you');
        await expect(
          shown(one, /^Approval: /).getByRole('button', { name: 'Release', exact: true }),
        ).toHaveCount(0);
      }
      const choice = shown(page, /^Choice: /);
      await choice.getByRole('button', { name: /Apple/ }).focus();
      await armed(choice);
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('Enter');
      expect(JSON.parse((await chosen)?.text ?? '')).toEqual({ choice: 'pear' });
      const form = shown(page, /^Form: /);
      await form.getByRole('textbox', { name: 'Crates' }).fill('50');
      await armed(form);
      await page.keyboard.press('Enter');
      await expect(form).toContainText('Enter 40 or less.');
      await form.getByRole('textbox', { name: 'Crates' }).fill('5');
      await armed(form);
      await page.keyboard.press('Enter');
      expect(JSON.parse((await filled)?.text ?? '')).toEqual({
        street: 'Elm Lane 4',
        crates: 5,
        how: 'van',
        gift: false,
      });
      await expect(form).toContainText('Elm Lane 4');
      // What nobody has answered waits on when the turn has ended, and the answer is the next prompt.
      turn.end();
      await ui.idle();
      const card = shown(page, /^Card: /);
      const buy = card.getByRole('button', { name: 'Buy', exact: true });
      await clickAnswer(card, buy);
      const next = await puppet.turn();
      expect(next.text).toContain('"buy"');
      for (const one of [page, second])
        await expect(shown(one, /^Card: /)).toContainText('as its next prompt');
      next.end();
      await ui.idle();
      await second.close();
    },
  );

  test('of the gateway wait in the inbox, and the agent gets the answer', async ({ weft, page, ui }) => {
    const { puppet, space } = await weft.puppet('Robin', takesHttp);
    await weft.open(page);
    await ui.send('go');
    const turn = await puppet.turn();
    const result = callGateway(puppet, 'showApprovalForm', {
      ...inputs.showApprovalForm,
      targetSpaceId: space.id,
    });
    const approval = shown(page, /^Approval: /);
    await expect(approval).toContainText('Needs your answer');
    await ui.waiting(1);
    await expect(ui.permissions).toHaveCount(0);
    await answerByKey(page, approval, '1');
    await expect(approval).toContainText('Answered by you');
    await expect(approval).toContainText('Approved');
    expect((await result).text).toContain('approved');
    turn.end();
    await ui.idle();
    await page.reload();
    await expect(approval).toContainText('Answered by you');
    await ui.waiting(0);
  });

  test('that wait are gone to from far below', async ({ weft, page, ui }) => {
    const { puppet, space } = await weft.puppet('Robin', takesHttp);
    await weft.open(page);
    await ui.send('go');
    const turn = await puppet.turn();
    const heard = asks(turn, puppet, 'showApprovalForm', inputs.showApprovalForm, space);
    await expect(shown(page, /^Approval: /)).toContainText('Needs your answer');
    turn.say(Array.from({ length: 200 }, (_, i) => `Paragraph ${i} of what goes on meanwhile.`).join('\n\n'));
    await expect(ui.text('Paragraph 199')).toBeVisible();
    await page.reload();
    await expect(ui.text('Paragraph 199')).toBeVisible();
    const release = shown(page, /^Approval: /).getByRole('button', { name: 'Release', exact: true });
    await expect(release).not.toBeInViewport();
    // A number answers nothing that is not seen.
    await ui.transcript.focus();
    await page.keyboard.press('1');
    await page.keyboard.press('Control+Shift+j');
    await expect(shown(page, /^Approval: /)).toBeFocused();
    await expect(release).toBeInViewport();
    turn.say('\n\nMore comes at the end.');
    await expect(release).toBeInViewport();
    await armed(shown(page, /^Approval: /));
    await page.keyboard.press('1');
    expect(JSON.parse((await heard).text)).toMatchObject({ approved: true });
    turn.end();
  });

  for (const theme of themes) {
    test.describe(`in the ${theme}`, () => {
      test.use({ colorScheme: theme });

      test(
        'can be read by everybody, at every width, in both densities',
        deep,
        async ({ weft, page, ui }) => {
          await ownTool(weft, {
            name: 'weighHarvest',
            description: 'Shows what the harvest weighs.',
            inputSchema: { type: 'object' },
            displayTool: true,
          });
          const { puppet, space } = await weft.puppet('Robin', takesHttp);
          await weft.open(page);
          await ui.send('go');
          const turn = await puppet.turn();
          for (const name of asking) void asks(turn, puppet, name, inputOf(name), space);
          await page.setViewportSize({ width: 1280, height: 1700 });
          await expect(shown(page, /^Card: /)).toContainText('Needs your answer');
          await ui.picture(`${theme}-displays-waiting`);
          await accessible(page, 'displays that wait', 'all');
          await page.setViewportSize({ width: 760, height: 1700 });
          await ui.picture(`${theme}-displays-waiting-narrow`);
          await expectNoOverflow(page);
          await answer(weft, space, 'showApprovalForm', { approved: true, comment: 'Take the light ones.' });
          await answer(weft, space, 'showChoice', { choice: 'pear' });
          await answer(weft, space, 'showForm', { street: 'Elm Lane 4', crates: 5, how: 'van', gift: true });
          await answer(weft, space, 'showCard', { action: 'buy' });
          await page.setViewportSize({ width: 1280, height: 1500 });
          await expect(shown(page, /^Card: /)).toContainText('Answered by you');
          await ui.picture(`${theme}-displays-answered`);
          await accessible(page, 'displays that were answered', 'all');
          turn.say('And look at this:');
          for (const name of names.filter((one) => !asking.includes(one)))
            expect(await draws(turn, puppet, name, inputs[name], space)).toMatchObject({ failed: false });
          turn.end();
          await ui.idle();
          await page.setViewportSize({ width: 1280, height: 1700 });
          // The view was measured and resized on the way, so that it need not be at the end.
          const below = page.getByRole('button', { name: 'New messages' });
          await expect(async () => {
            if (await below.isVisible()) await below.click({ timeout: 1000 });
            await expect(shown(page, /^weighHarvest: /)).toContainText('crates', { timeout: 1000 });
          }).toPass();
          await ui.picture(`${theme}-displays-shown`);
          await accessible(page, 'displays that are shown', 'all');
          await ui.command('Compact density');
          await page.setViewportSize({ width: 760, height: 1700 });
          await ui.picture(`${theme}-displays-shown-narrow`);
          await expectNoOverflow(page);
        },
      );
    });
  }

  test('hostile text stays text, and nothing is loaded', async ({ weft, page, ui }) => {
    const { puppet, space } = await weft.puppet('Robin', takesHttp);
    await weft.open(page);
    await page.setViewportSize({ width: 1280, height: 3600 }); // all of them are in the page
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    await ui.send('go');
    const turn = await puppet.turn();
    const evil = '<img src=//evil.example onerror=hit=1><script>hit=1</script>';
    const remote = 'https://evil.example/y.png';
    const more: Partial<Record<Name, object>> = {
      showCard: { image: remote },
      showImage: { src: `data:image/svg+xml,<svg xmlns="http://www.w3.org/2000/svg" onload="hit=1"/>` },
    };
    const waiting = ['showApprovalForm', 'showChoice', 'showForm'];
    for (const name of names.filter((one) => one !== 'weighHarvest')) {
      const input = { ...hostile(inputs[name], evil), ...more[name] };
      if (waiting.includes(name)) void asks(turn, puppet, name, input, space);
      else expect(await draws(turn, puppet, name, input, space), name).toMatchObject({ failed: false });
    }
    await expect(page.locator('.display')).toHaveCount(names.length - 1);
    turn.end();
    await ui.idle();
    const card = shown(page, /^Card: /);
    await expect(card).toContainText(remote);
    await expect(card.getByRole('button', { name: 'Open in browser' })).toBeVisible();
    await expect(page.locator('.display img')).toHaveCount(0);
    expect(await page.evaluate(() => (window as { hit?: number }).hit)).toBeUndefined();
    expect(asked.filter((url) => url.includes('evil'))).toEqual([]);
  });
});

/** What stands for itself in an input: names of fields, and words that a schema has. */
const plain = ['id', 'key', 'type', 'status', 'style', 'required', 'language'];

/** An input whose texts are all something else. */
function hostile(input: object, evil: string): object {
  const at = (value: unknown, name: string): unknown => {
    if (plain.includes(name)) return value;
    if (typeof value === 'string') return evil;
    if (Array.isArray(value)) return value.map((one) => at(one, ''));
    if (typeof value === 'object' && value !== null) return hostile(value, evil);
    return value;
  };
  return Object.fromEntries(Object.entries(input).map(([name, value]) => [name, at(value, name)]));
}

/** Nothing stands out of the page to its side. */
async function expectNoOverflow(page: Page): Promise<void> {
  const wide = await page.evaluate(() =>
    [...document.querySelectorAll('.display')]
      .filter((box) => box.scrollWidth > box.clientWidth + 1)
      .map((box) => box.textContent),
  );
  expect(wide).toEqual([]);
}
