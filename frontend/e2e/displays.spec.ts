import type { Page } from '@playwright/test';
import { accessible } from './support/axe';
import { picture } from './support/picture';
import { toolCall, toolUpdate } from './support/puppet';
import { expect, test } from './support/test';

// The agent draws by calls of the kind `display`. One test goes through the gateway; where several are to wait at a
// time, the page is told so when it reads the space, and everything after that is the real way.

/** A meadow under a sky, so that one sees where a picture stands. */
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
      { label: 'Set the ladders', status: 'done' },
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
  weighHarvest: { crates: 12, heavy: true, note: 'A tool of the person’s own' },
} as const;
type Name = keyof typeof inputs;
const names = Object.keys(inputs) as Name[];
const asking: Name[] = ['showApprovalForm', 'showChoice', 'showForm', 'showCard'];

const call = (name: Name, more: object = {}) => ({
  toolCallId: name,
  name,
  title: name,
  kind: 'display',
  status: 'in_progress' as const,
  ...more,
});

interface Held {
  segments?: {
    items?: { call?: { kind?: string; status: string } }[];
    statusCounts?: Record<string, number>;
  }[];
}

/** Running displays are told to the page as waiting when it reads the space. What it answers is kept. */
async function waits(page: Page): Promise<object[]> {
  const answers: object[] = [];
  await page.route('**/api/OpenSpace', async (route) => {
    const response = await route.fetch();
    const snapshot = (await response.json()) as { page: { messages?: Held[] } };
    for (const segment of snapshot.page.messages?.flatMap((message) => message.segments ?? []) ?? []) {
      for (const { call } of segment.items ?? []) {
        if (call?.kind !== 'display' || call.status !== 'running') continue;
        call.status = 'waiting';
        segment.statusCounts = {
          ...segment.statusCounts,
          running: (segment.statusCounts?.['running'] ?? 1) - 1,
          waiting: (segment.statusCounts?.['waiting'] ?? 0) + 1,
        };
      }
    }
    await route.fulfill({ response, json: snapshot });
  });
  await page.route('**/api/AnswerDisplay', async (route) => {
    answers.push(route.request().postDataJSON() as object);
    await route.fulfill({ json: null });
  });
  return answers;
}

const shown = (page: Page, name: string | RegExp) => page.getByRole('region', { name });
const answered = (answer: unknown, more: object = {}) => ({
  answer,
  state: 'answered',
  by: 'person',
  at: Date.now(),
  late: false,
  ...more,
});

test.describe('displays', () => {
  test('stand in their place, and part the group that they came in', async ({ weft, page, ui }) => {
    const { puppet } = await weft.puppet();
    await weft.open(page);
    await ui.send('go');
    const turn = await puppet.turn();
    turn.say('First I look.');
    turn.did({ toolCallId: 'r1', title: 'Read a', kind: 'read' });
    turn.did({ toolCallId: 'r2', title: 'Read b', kind: 'read' });
    turn.did(call('showCard', { rawInput: inputs.showCard, status: 'completed' }));
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
    const kinds = ['head', 'prose', 'group', 'shown', 'group', 'prose'];
    expect((await order()).filter((kind) => kind !== undefined)).toEqual(kinds);
    await page.reload();
    await expect(shown(page, 'Card: Picking ladder')).toContainText('89 €');
    expect((await order()).filter((kind) => kind !== undefined)).toEqual(kinds);
  });

  test('draw while they are written', async ({ weft, page, ui }) => {
    const { puppet } = await weft.puppet();
    await weft.open(page);
    await ui.send('go');
    const turn = await puppet.turn();
    turn.update(toolCall({ ...call('showChoice'), status: 'pending', rawInput: {} }));
    const grows = (options: readonly object[]) =>
      turn.update(toolUpdate({ toolCallId: 'showChoice', rawInput: { question: 'Which fruit?', options } }));
    grows([{ id: 'apple', label: 'App' }]);
    const choice = shown(page, 'Choice: Which fruit?');
    await expect(choice).toContainText('App');
    await expect(choice).toHaveAttribute('aria-busy', 'true');
    await expect(choice).toContainText('Being written');
    grows([
      { id: 'apple', label: 'Apple pie' },
      { id: 'pear', label: 'Pe' },
    ]);
    await expect(choice).toContainText('Apple pie');
    await expect(choice).toContainText('Pe');
    await expect(choice.getByRole('button', { name: /Apple/ })).toHaveCount(0);
    await ui.picture('light-display-writing');
    turn.change({
      toolCallId: 'showChoice',
      status: 'completed',
      rawOutput: { answer: null, state: 'expired' },
    });
    await expect(choice).toContainText('Expired');
    await expect(choice).toHaveAttribute('aria-busy', 'false');
    turn.end();
  });

  test('are answered by keys, and another window shows the answer at once', async ({
    weft,
    page,
    ui,
    context,
  }) => {
    const { puppet } = await weft.puppet();
    await weft.open(page);
    await ui.send('go');
    const turn = await puppet.turn();
    for (const name of asking) turn.tool(call(name, { rawInput: inputs[name] }));
    await expect(shown(page, /^Card: /)).toBeVisible();
    const answers = await waits(page);
    await page.reload();
    const second = await context.newPage();
    await waits(second);
    await second.goto(page.url());
    const approval = shown(page, /^Approval: /);
    await expect(approval).toContainText('Waits for you');
    await expect(shown(second, /^Approval: /)).toContainText('Waits for you');
    // The composer keeps what is typed there, numbers too.
    await ui.composer.fill('2 crates');
    await ui.composer.press('1');
    expect(answers).toEqual([]);
    await ui.composer.fill('');
    await page.keyboard.press('Control+j');
    await expect(approval.getByRole('button', { name: 'Release', exact: true })).toBeFocused();
    await approval.getByRole('button', { name: 'Release', exact: true }).focus();
    await page.keyboard.press('2');
    await expect.poll(() => answers.length).toBe(1);
    expect(answers[0]).toMatchObject({ toolCallId: 'showApprovalForm', answer: { approved: false } });
    const output = answered({ approved: false }, { late: true });
    turn.change({ toolCallId: 'showApprovalForm', status: 'completed', rawOutput: output });
    for (const one of [page, second]) {
      await expect(shown(one, /^Approval: /)).toContainText('Answered by you');
      await expect(shown(one, /^Approval: /)).toContainText('as its next prompt');
      await expect(
        shown(one, /^Approval: /).getByRole('button', { name: 'Release', exact: true }),
      ).toHaveCount(0);
    }
    const choice = shown(page, /^Choice: /);
    await choice.getByRole('button', { name: /Apple/ }).focus();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await expect.poll(() => answers.length).toBe(2);
    expect(answers[1]).toMatchObject({ toolCallId: 'showChoice', answer: { choice: 'pear' } });
    turn.change({ toolCallId: 'showChoice', status: 'completed', rawOutput: answered({ choice: 'pear' }) });
    const form = shown(page, /^Form: /);
    await form.getByRole('textbox', { name: 'Crates' }).fill('50');
    await page.keyboard.press('Enter');
    await expect(form).toContainText('At most 40.');
    await form.getByRole('textbox', { name: 'Crates' }).fill('5');
    await page.keyboard.press('Enter');
    await expect.poll(() => answers.length).toBe(3);
    const filled = { street: 'Elm Lane 4', crates: 5, how: 'van', gift: false };
    expect(answers[2]).toMatchObject({ toolCallId: 'showForm', answer: filled });
    turn.change({ toolCallId: 'showForm', status: 'completed', rawOutput: answered(filled) });
    await expect(form).toContainText('Elm Lane 4');
    turn.end();
    await ui.idle();
    await second.close();
  });

  test('of the gateway wait in the inbox, and the agent gets the answer', async ({ weft, page, ui }) => {
    const { puppet, space } = await weft.puppet('Robin', {
      initialize: { agentCapabilities: { mcpCapabilities: { http: true } } },
    });
    await weft.open(page);
    await ui.send('go');
    const turn = await puppet.turn();
    const result = callGateway(puppet.manners.servers as Server[], 'showApprovalForm', {
      ...inputs.showApprovalForm,
      targetSpaceId: space.id,
    });
    const approval = shown(page, /^Approval: /);
    await expect(approval).toContainText('Waits for you');
    await expect(ui.sidebar).toContainText('Waiting for you');
    await expect(ui.permissions).toHaveCount(0);
    await page.keyboard.press('Control+j');
    await page.keyboard.press('1');
    await expect(approval).toContainText('Answered by you');
    await expect(approval).toContainText('Approved');
    expect(JSON.stringify(await result)).toContain('approved');
    turn.end();
    await ui.idle();
    await page.reload();
    await expect(approval).toContainText('Answered by you');
    await expect(ui.sidebar).not.toContainText('Waiting for you');
  });

  test('that wait are gone to from far below', async ({ weft, page, ui }) => {
    const { puppet } = await weft.puppet();
    await weft.open(page);
    await ui.send('go');
    const turn = await puppet.turn();
    turn.tool(call('showApprovalForm', { rawInput: inputs.showApprovalForm }));
    turn.say(Array.from({ length: 200 }, (_, i) => `Paragraph ${i} of what goes on meanwhile.`).join('\n\n'));
    await expect(ui.text('Paragraph 199')).toBeVisible();
    const answers = await waits(page);
    await page.reload();
    await expect(ui.text('Paragraph 199')).toBeVisible();
    const release = shown(page, /^Approval: /).getByRole('button', { name: 'Release', exact: true });
    await expect(release).not.toBeInViewport();
    // A number answers nothing that is not seen.
    await ui.transcript.focus();
    await page.keyboard.press('1');
    await page.keyboard.press('Control+j');
    await expect(release).toBeFocused();
    await expect(release).toBeInViewport();
    expect(answers).toEqual([]);
    turn.say('\n\nMore comes at the end.');
    await expect(release).toBeInViewport();
    await page.keyboard.press('1');
    await expect.poll(() => answers.length).toBe(1);
    turn.end();
  });

  for (const theme of ['light', 'dark'] as const) {
    test.describe(`in the ${theme}`, () => {
      test.use({ colorScheme: theme });

      test('can be read by everybody, at every width, in both densities', async ({ weft, page, ui }) => {
        const { puppet } = await weft.puppet();
        await weft.open(page);
        await ui.send('go');
        const turn = await puppet.turn();
        for (const name of asking) turn.tool(call(name, { rawInput: inputs[name] }));
        await expect(shown(page, /^Card: /)).toBeVisible();
        await waits(page);
        await page.setViewportSize({ width: 1280, height: 1700 });
        await page.reload();
        await expect(shown(page, /^Card: /)).toContainText('Waits for you');
        await ui.picture(`${theme}-displays-waiting`);
        await accessible(page, 'displays that wait', 'all');
        await page.setViewportSize({ width: 760, height: 1700 });
        await ui.picture(`${theme}-displays-waiting-narrow`);
        await expectNoOverflow(page);
        const answers = {
          showApprovalForm: answered({ approved: true, comment: 'Take the light ones.' }),
          showChoice: answered({ choice: 'pear' }),
          showForm: answered({ street: 'Elm Lane 4', crates: 5, how: 'van', gift: true }),
          showCard: answered(
            { action: 'buy' },
            { from: { spaceId: 'x', spaceName: 'Shop', agent: 'Robin' } },
          ),
        };
        for (const [toolCallId, rawOutput] of Object.entries(answers))
          turn.change({ toolCallId, status: 'completed', rawOutput });
        await page.setViewportSize({ width: 1280, height: 1500 });
        await expect(shown(page, /^Card: /)).toContainText('Asked by Robin in Shop');
        await ui.picture(`${theme}-displays-answered`);
        await accessible(page, 'displays that were answered', 'all');
        turn.say('And this is to be looked at:');
        for (const name of names.filter((one) => !asking.includes(one)))
          turn.did({
            ...call(name),
            rawInput: inputs[name],
            status: 'completed',
            toolCallId: `shown-${name}`,
          });
        turn.end();
        await ui.idle();
        await page.setViewportSize({ width: 1280, height: 1700 });
        await expect(shown(page, /^weighHarvest: /)).toContainText('crates');
        await ui.picture(`${theme}-displays-shown`);
        await accessible(page, 'displays that are shown', 'all');
        await ui.command('Compact density');
        await page.setViewportSize({ width: 760, height: 1700 });
        await ui.picture(`${theme}-displays-shown-narrow`);
        await expectNoOverflow(page);
      });
    });
  }

  test('hostile text stays text, and nothing is loaded', async ({ weft, page, ui }) => {
    const { puppet } = await weft.puppet();
    await weft.open(page);
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    await ui.send('go');
    const turn = await puppet.turn();
    const evil = '<img src="https://evil.example/x.png" onerror="window.hit=1"><script>window.hit=1</script>';
    for (const name of names) {
      const input = Object.fromEntries(Object.keys(inputs[name]).map((key) => [key, evil]));
      turn.did({ ...call(name), rawInput: { ...inputs[name], ...input }, status: 'completed' });
    }
    turn.did({
      ...call('showImage'),
      toolCallId: 'remote',
      rawInput: { src: 'https://evil.example/y.png', alt: 'Remote' },
      status: 'completed',
    });
    turn.end();
    await ui.idle();
    await expect(shown(page, 'Image: Remote')).toContainText('https://evil.example/y.png');
    await expect(
      shown(page, 'Image: Remote').getByRole('button', { name: 'Open in the browser' }),
    ).toBeVisible();
    await expect(page.locator('.display img')).toHaveCount(0);
    expect(await page.evaluate(() => (window as { hit?: number }).hit)).toBeUndefined();
    expect(asked.filter((url) => url.includes('evil'))).toEqual([]);
  });
});

interface Server {
  url?: string;
  headers?: { name: string; value: string }[];
}

/** Calls a tool of the gateway as an agent does, with what the session was opened with. */
async function callGateway(servers: Server[], name: string, args: object): Promise<unknown> {
  const server = servers.find(({ url }) => url !== undefined);
  if (server?.url === undefined) throw new Error('the session has no gateway');
  const { url } = server;
  const headers: Record<string, string> = {
    'Content-Type': 'application/json',
    Accept: 'application/json, text/event-stream',
  };
  for (const header of server.headers ?? []) headers[header.name] = header.value;
  const post = async (message: object) => {
    const response = await fetch(url, {
      method: 'POST',
      headers,
      body: JSON.stringify({ jsonrpc: '2.0', ...message }),
    });
    const session = response.headers.get('Mcp-Session-Id');
    if (session !== null) headers['Mcp-Session-Id'] = session;
    return response.text();
  };
  const clientInfo = { name: 'puppet', version: '1' };
  await post({
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo },
  });
  await post({ method: 'notifications/initialized' });
  return post({ id: 2, method: 'tools/call', params: { name, arguments: args } });
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
