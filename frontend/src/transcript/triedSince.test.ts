import { expect, it } from 'vitest';
import type { Message, ToolCall } from './model';
import { wasRetried } from './wasRetried';

const one = (toolCallId: string, over: Partial<ToolCall> = {}) =>
  ({
    type: 'tool_call',
    toolCallId,
    toolName: 'fetch',
    title: 'Fetch',
    kind: 'fetch',
    input: { url: 'a' },
    ...over,
  }) as ToolCall;
const message = (id: string, ...items: ToolCall[]) =>
  ({ id, segments: [{ type: 'tool-group', items }] }) as unknown as Message;

it('leaves the retry to the last of several same calls', () => {
  const messages = [message('m', one('1'), one('2'))];
  expect(wasRetried(messages, 'm', one('1'))).toBe(true);
  expect(wasRetried(messages, 'm', one('2'))).toBe(false);
});

it('knows a call that was made again in a later message, whatever its id is', () => {
  const messages = [message('m', one('1')), message('n', one('9', { status: 'completed' }))];
  expect(wasRetried(messages, 'm', one('1'))).toBe(true);
  expect(wasRetried(messages, 'n', one('9'))).toBe(false);
});

it('takes no other call for it', () => {
  for (const over of [
    { input: { url: 'b' } },
    { title: 'Other' },
    { kind: 'read' },
    { toolName: 'get' },
    { input: undefined, inputRef: { hash: 'h', size: 1 } },
  ])
    expect(wasRetried([message('m', one('1'), one('2', over))], 'm', one('1'))).toBe(false);
});

it('goes by the title where an input is not held', () => {
  const messages = [message('m', one('1'), one('2', { input: undefined }))];
  expect(wasRetried(messages, 'm', one('1'))).toBe(true);
  expect(wasRetried([], 'm', one('1'))).toBe(false);
});
