import { expect, it } from 'vitest';
import type { Conversation } from './model';
import { countNotAsked, notAskedSince } from './notAsked';

const call = (toolCallId: string, outcome: string) => ({
  type: 'tool_call',
  toolCallId,
  permissions: [
    { requestId: `r${toolCallId}`, options: [], outcome, by: { who: 'mode', mode: 'read-only' } },
  ],
});
const group = (...items: unknown[]) => ({ type: 'tool-group', items });
const message = (id: string, role: string, ...segments: unknown[]) => ({
  id,
  role,
  author: { name: 'Robin' },
  segments,
});
const conversation = (...messages: unknown[]) => ({ messages }) as unknown as Conversation;

it('lists what was not asked about since the last prompt, in order', () => {
  const { promptId, list } = notAskedSince(
    conversation(
      message('p1', 'user'),
      message('a1', 'agent', group(call('old', 'unasked'))),
      message('p2', 'user'),
      message(
        'a2',
        'agent',
        group(call('1', 'selected'), call('2', 'unasked')),
        { type: 'text' },
        group({ type: 'thought' }, call('3', 'unasked')),
      ),
      message('a3', 'agent', group(call('4', 'unasked'))),
    ),
  );
  expect(promptId).toBe('p2');
  expect(list.map((one) => one.call.toolCallId)).toEqual(['2', '3', '4']);
  expect(list[0]).toMatchObject({ author: 'Robin', by: { mode: 'read-only' } });
});

it('lists nothing where everything was asked about', () => {
  expect(
    notAskedSince(conversation(message('p', 'user'), message('a', 'agent', group(call('1', 'selected')))))
      .list,
  ).toEqual([]);
});

it('counts those of a group', () => {
  expect(countNotAsked(group(call('1', 'unasked'), call('2', ''), call('3', 'unasked')) as never)).toBe(2);
});
