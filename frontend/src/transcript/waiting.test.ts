import { expect, it } from 'vitest';
import { agent, sequence } from './events.fixture';
import { applyEvents } from './fold';
import { displayKind, emptyConversation } from './model';
import { waitingWith } from './waiting';

const started = (item: number, toolCallId: string, kind: string, status: 'running' | 'waiting') =>
  ({
    type: 'tool_call_start',
    messageId: 'm1',
    segment: 0,
    item,
    toolCallId,
    toolName: '',
    title: toolCallId,
    kind,
    status,
  }) as const;
const asked = (item: number, toolCallId: string, requestId: string) => ({
  type: 'permission_request' as const,
  messageId: 'm1',
  segment: 0,
  item,
  toolCallId,
  requestId,
  options: [{ optionId: 'yes', name: 'Allow', kind: 'allow_once' }],
});

const conversation = applyEvents(
  emptyConversation,
  sequence(
    agent,
    started(0, 'a', 'execute', 'running'),
    started(1, 'b', 'execute', 'running'),
    asked(0, 'a', 'ra'),
    asked(1, 'b', 'rb'),
    started(2, 'd', displayKind, 'waiting'),
  ),
  { streamed: 1000 },
);

it('finds a request by its id, with its place', () => {
  expect(waitingWith(conversation, 'rb')).toMatchObject({
    messageId: 'm1',
    segment: 0,
    item: 1,
    call: { toolCallId: 'b' },
    permission: { requestId: 'rb' },
  });
});

it('finds a display that waits by the id of its call', () => {
  const found = waitingWith(conversation, 'd');
  expect(found?.call.toolCallId).toBe('d');
  expect(found?.permission).toBeUndefined();
});

it('finds no call that does not wait, and no request of another id', () => {
  expect(waitingWith(conversation, 'a')).toBeNull();
  expect(waitingWith(conversation, 'rc')).toBeNull();
});
