import type { Page } from '@playwright/test';
import type { Event } from '../src/transcript/types';
import type { CompositeMessage, Space } from '../src/transport/api';
import { accessible } from './support/axe';
import { deep } from './support/deep';
import { callGateway, draws, takesHttp } from './support/gateway';
import { picture } from './support/picture';
import { type Manners, said } from './support/puppet';
import { armed } from './support/requests';
import type { Screen } from './support/screen';
import { expect, test } from './support/test';
import { themes } from './support/themes';
import type { Weft } from './support/weft';

// The worked examples: a run that writes to several spaces, one that asks in another space, everything in one message,
// and members that wait for each other. As agents do it: by the gateway that they are handed.

const ladder = (title: string, subtitle: string, price: string, badges: string[]) => ({
  title,
  subtitle,
  price,
  badges,
  image: picture(320, 200),
  fields: [
    { label: 'Weight', value: '7 kg' },
    { label: 'Carries', value: '120 kg' },
  ],
});
const ash = ladder('Ash ladder', 'Three metres', '89 €', ['In stock']);
const larch = ladder('Larch ladder', 'Four metres', '119 €', ['New', 'In stock']);
const stock = {
  title: 'Ladders after this order',
  columns: [
    { key: 'what', label: 'Ladder' },
    { key: 'left', label: 'Left' },
  ],
  rows: [
    { what: 'Ash', left: 4 },
    { what: 'Larch', left: 1 },
  ],
};
const budget = {
  title: 'Release the budget for the autumn',
  description: 'Two ladders and a press before the pears are ripe.',
  details: [
    { label: 'Sum', value: '4 200 €' },
    { label: 'Asked by', value: 'Garden' },
  ],
  approveLabel: 'Release',
  rejectLabel: 'Keep back',
};
const chart = {
  title: 'Crates a day',
  type: 'bar',
  labels: ['Monday', 'Tuesday', 'Wednesday'],
  series: [
    { name: 'Apples', data: [12, 9, 21] },
    { name: 'Pears', data: [5, 14, 3] },
  ],
};

const none = { hash: '', size: 0 };
const shown = (page: Page, name: string | RegExp) => page.getByRole('region', { name });

const goTo = (ui: Screen, title: string) =>
  ui.spaces.locator('.space-button').filter({ hasText: title }).click();

/** Two spaces of one agent, the first of which is open. */
async function two(weft: Weft, page: Page, first: string, second: string, manners: Manners = takesHttp) {
  const { puppet, agent } = await weft.actor('Robin', manners);
  const other = await weft.space(agent.id, second);
  const space = await weft.space(agent.id, first);
  await weft.open(page);
  return { puppet, agent, space, other };
}

/** Events as words, without those of the state; text that came in pieces is one. A call has the name by which it is known in the end. */
function told(events: readonly Event[]): string[] {
  const words: string[] = [];
  const names = new Map<string, string>();
  for (const event of events)
    if ('toolName' in event && event.toolName) names.set(event.toolCallId, event.toolName);
  for (const event of events) {
    const last = words.at(-1);
    switch (event.type) {
      case 'message_start':
        words.push(`message_start ${event.role}`);
        break;
      case 'text_delta':
        if (last?.startsWith('text: ')) words[words.length - 1] = last + event.content;
        else words.push(`text: ${event.content}`);
        break;
      case 'tool_call_start':
      case 'tool_call_end':
        words.push(`${event.type} ${names.get(event.toolCallId)}`);
        break;
      case 'run_waiting_tool':
      case 'run_created':
      case 'run_completed':
      case 'message_end':
        words.push(event.type);
        break;
    }
  }
  return words;
}

/** The messages of a space that agents have written, as they are stored. */
async function stored(weft: Weft, { id: spaceId }: Space): Promise<CompositeMessage[]> {
  const { page } = await weft.call('OpenSpace', { spaceId });
  const written = (page.messages ?? []).filter(({ role }) => role === 'agent');
  return Promise.all(written.map(({ id: messageId }) => weft.call('MessageParts', { spaceId, messageId })));
}

/** In what order the parts are, and what of. */
const kinds = ({ parts }: CompositeMessage) =>
  parts.map(({ type, text, toolName }) =>
    type === 'text' ? `text: ${text}` : `${type} ${toolName ?? ''}`.trim(),
  );

for (const theme of themes) {
  test.describe(`in the ${theme}`, () => {
    test.use({ colorScheme: theme });

    const see = async (page: Page, ui: Screen, name: string, height = 800) => {
      for (const width of [1280, 760]) {
        await page.setViewportSize({ width, height });
        await ui.picture(`${theme}-example-${name}${width === 760 ? '-760' : ''}`);
        await accessible(page, `${name}, ${width} wide`, theme === 'light' ? 'all' : 'colours');
      }
      await page.setViewportSize({ width: 1280, height: 800 });
    };

    test('a shop run writes to two spaces, one message each', deep, async ({ weft, page, ui }) => {
      const { puppet, agent, space, other } = await two(weft, page, 'Shop', 'Stock');
      const [here, there] = await Promise.all([weft.follow(space.id), weft.follow(other.id)]);
      await ui.send('Which ladders do we have?');
      const turn = await puppet.turn();
      turn.say('Two ladders are **in stock**:');
      await draws(turn, puppet, 'showCard', ash, space);
      await draws(turn, puppet, 'showCard', larch, space);
      await callGateway(puppet, 'showTable', { ...stock, targetSpaceId: other.id });
      turn.say('The larch one reaches the top of the old pear tree.');
      await expect(ui.text('The larch one')).toBeVisible();
      turn.end();
      await ui.idle();

      const text = ['Two ladders are **in stock**:', 'The larch one reaches the top of the old pear tree.'];
      await expect.poll(() => told(here).at(-1)).toBe('run_completed');
      expect(told(here)).toEqual([
        'message_start user',
        'text: Which ladders do we have?',
        'message_end',
        'run_created',
        'message_start agent',
        `text: ${text[0]}`,
        'tool_call_start showCard',
        'tool_call_end showCard',
        'tool_call_start showCard',
        'tool_call_end showCard',
        `text: ${text[1]}`,
        'message_end',
        'run_completed',
      ]);
      await expect.poll(() => told(there).at(-1)).toBe('run_completed');
      expect(told(there)).toEqual([
        'run_created',
        'message_start agent',
        'tool_call_start showTable',
        'tool_call_end showTable',
        'message_end',
        'run_completed',
      ]);

      const [shop, ...more] = await stored(weft, space);
      const [storage, ...others] = await stored(weft, other);
      expect([more, others]).toEqual([[], []]);
      if (shop === undefined || storage === undefined) throw new Error('a message is not there');
      expect(kinds(shop)).toEqual([
        `text: ${text[0]}`,
        'tool_call showCard',
        'tool_call showCard',
        `text: ${text[1]}`,
      ]);
      expect(shop).toMatchObject({ spaceId: space.id, entityId: agent.id, memberId: 'main' });
      // Pictures are large: they are kept by reference.
      const inputs = await Promise.all([1, 2].map((i) => weft.blob(shop.parts[i]?.argsRef ?? none)));
      expect(inputs).toEqual([ash, larch]);
      expect(storage).toMatchObject({ spaceId: other.id, entityId: agent.id, runId: shop.runId });
      expect(storage.id).not.toBe(shop.id);
      expect(kinds(storage)).toEqual(['tool_call showTable']);
      expect(storage.parts[0]).toMatchObject({ args: stock, status: 'completed' });

      await expect(shown(page, 'Card: Larch ladder')).toContainText('119 €');
      await see(page, ui, 'shop', 1100);
      await goTo(ui, 'Stock');
      await expect(shown(page, /^Table: Ladders/)).toContainText('Larch');
      await see(page, ui, 'shop-stock');
    });

    test('a budget is approved in another space, and the run goes on', deep, async ({ weft, page, ui }) => {
      const { puppet, space, other } = await two(weft, page, 'Garden', 'Finance');
      const [here, there] = await Promise.all([weft.follow(space.id), weft.follow(other.id)]);
      await ui.send('Get ready for the autumn');
      const turn = await puppet.turn();
      turn.say('I ask for the budget.');
      const heard = draws(turn, puppet, 'showApprovalForm', budget, other);
      await ui.waiting(1);
      await expect(shown(page, /^Approval: /)).toHaveCount(0);
      await expect(ui.tool('Show “Release the budget for the autumn” in “Finance”')).toBeVisible();
      await see(page, ui, 'budget-asked');

      // By keys: there, the answer, and back.
      await page.keyboard.press('Control+j');
      await expect(page.getByRole('main').getByRole('region', { name: /^Approval: / })).toBeVisible();
      await page.keyboard.press('Enter');
      const form = shown(page, /^Approval: /);
      await expect(form).toBeFocused();
      await see(page, ui, 'budget-form');
      await armed(form);
      await page.keyboard.press('1');
      await expect(form).toContainText('Answered by you');
      await ui.waiting(0);
      expect(JSON.parse((await heard).text)).toEqual({ approved: true });
      await see(page, ui, 'budget-answered');
      await goTo(ui, 'Garden');
      turn.say('Released: I order the ladders.');
      await expect(ui.text('Released')).toBeVisible();
      turn.end();
      await ui.idle();

      await expect.poll(() => told(there).at(-1)).toBe('run_completed');
      expect(told(there)).toEqual([
        'run_created',
        'message_start agent',
        'tool_call_start showApprovalForm',
        'run_waiting_tool',
        'tool_call_end showApprovalForm',
        'message_end',
        'run_completed',
      ]);
      await expect.poll(() => told(here).at(-1)).toBe('run_completed');
      const own = told(here).slice(3);
      expect(own.filter((word) => !word.startsWith('tool_call'))).toEqual([
        'run_created',
        'message_start agent',
        'text: I ask for the budget.',
        'text: Released: I order the ladders.',
        'message_end',
        'run_completed',
      ]);
      // The answer was there before the run continued.
      const answered = there.find(({ type }) => type === 'tool_call_end')?.at ?? Number.POSITIVE_INFINITY;
      const wentOn = here.findLast(({ type }) => type === 'text_delta')?.at ?? 0;
      expect(answered).toBeLessThanOrEqual(wentOn);

      const [finance, ...more] = await stored(weft, other);
      const [garden, ...others] = await stored(weft, space);
      expect([more, others]).toEqual([[], []]);
      expect(finance?.runId).toBe(garden?.runId);
      expect(finance?.parts).toEqual([
        expect.objectContaining({ type: 'tool_call', toolName: 'showApprovalForm', args: budget }),
      ]);
      expect(finance?.parts[0]?.result).toMatchObject({ state: 'answered', answer: { approved: true } });
      expect(garden?.parts.filter(({ type }) => type === 'text').map(({ text }) => text)).toEqual([
        'I ask for the budget.',
        'Released: I order the ladders.',
      ]);
      await see(page, ui, 'budget');
    });

    test('tools, a chart and text are one message', async ({ weft, page, ui }) => {
      const { puppet, space } = await two(weft, page, 'Harvest', 'Elsewhere');
      await ui.send('How did the harvest go?');
      const turn = await puppet.turn();
      turn.say('I look at what was weighed.');
      turn.did({
        toolCallId: 'r',
        title: 'Read harvest.csv',
        kind: 'read',
        content: [said('day,apples,pears')],
      });
      turn.did({
        toolCallId: 's',
        title: 'Search for "crates"',
        kind: 'search',
        content: [said('harvest.csv:1')],
      });
      await draws(turn, puppet, 'showChart', chart, space);
      turn.say('Wednesday was best for **apples**, Tuesday for **pears**.');
      turn.end();
      await ui.idle();
      const [message, ...more] = await stored(weft, space);
      expect(more).toEqual([]);
      expect(message && kinds(message)).toEqual([
        'text: I look at what was weighed.',
        'tool_call read',
        'tool_call search',
        'tool_call showChart',
        'text: Wednesday was best for **apples**, Tuesday for **pears**.',
      ]);
      await expect(shown(page, /^Chart: /)).toBeVisible();
      const order = await ui.transcript
        .locator('.row[data-kind]')
        .evaluateAll((rows) => rows.map((row) => (row as HTMLElement).dataset['kind']));
      expect(order).toEqual(['head', 'prose', 'group', 'shown', 'prose', 'footer']);
      await expect(ui.transcript.locator('.head')).toHaveCount(1);
      await see(page, ui, 'bubble', 900);
    });

    test('a member asks another one and waits for it', deep, async ({ weft, page, ui }) => {
      const { puppet: robin, space } = await weft.puppet('Robin', takesHttp);
      const { puppet: wren, agent } = await weft.actor('Wren', takesHttp);
      await weft.call('UpdateSpace', { spaceId: space.id, title: 'Orchard' });
      const tester = { name: 'Tester', agentId: agent.id, role: 'Runs the tests' } as const;
      await weft.call('AddMember', { spaceId: space.id, ...tester, speaks: 'direct', reads: 'all' });
      await weft.open(page);
      const events = await weft.follow(space.id);
      await ui.send('Count the apples');
      const turn = await robin.turn();
      turn.say('I have counted them: 12. ');
      const args = { spaceId: space.id, text: 'Is 12 right?', mention: 'Tester', wait: true };
      const toolCallId = 'ask';
      turn.tool({
        toolCallId,
        title: 'mcp__weft__sendSpaceMessage',
        kind: 'other',
        status: 'in_progress',
        rawInput: args,
      });
      const heard = callGateway(robin, 'sendSpaceMessage', args);
      const asked = await wren.turn();
      expect(asked.text).toContain('Is 12 right?');
      asked.say('The tests say 12, too.');
      await expect(ui.text('The tests say')).toBeVisible();
      await see(page, ui, 'members-waiting');
      asked.end();
      const reply = await heard;
      expect(JSON.parse(reply.text)).toMatchObject({ reply: 'The tests say 12, too.' });
      turn.change({ toolCallId, status: 'completed', content: [said(reply.text)] });
      turn.say('Then it is 12.');
      turn.end();
      await ui.idle();

      const messages = await stored(weft, space);
      const texts = messages.map(({ parts }) => parts.flatMap(({ text }) => text ?? []).join(''));
      expect(texts).toEqual([
        'I have counted them: 12. Is 12 right?',
        'The tests say 12, too.',
        'Then it is 12.',
      ]);
      const [first, second, third] = messages;
      expect(second?.entityId).toBe(agent.id);
      // What comes behind the reply is of the same run as the question.
      expect(third?.runId).toBe(first?.runId);
      expect(second?.runId).not.toBe(first?.runId);
      expect(told(events).filter((word) => /^message_|^run_/.test(word))).toEqual([
        'message_start user',
        'message_end',
        'run_created',
        'message_start agent',
        'message_end',
        'run_created',
        'message_start agent',
        'message_end',
        'run_completed',
        'message_start agent',
        'message_end',
        'run_completed',
      ]);
      await see(page, ui, 'members');
    });
  });
}
