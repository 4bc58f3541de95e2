import { describe, expect, it } from 'vitest';
import { words } from '../views/tools/words';
import { agent, call, done, sequence, thought } from './events.fixture';
import { applyEvents } from './fold';
import { groupDuration, groupLabel, groupStatus } from './labels';
import { emptyConversation, type ToolGroup } from './model';

function group(...bodies: Parameters<typeof sequence>): ToolGroup {
  const segment = applyEvents(emptyConversation, sequence(agent, ...bodies)).messages[0]?.segments[0];
  if (segment?.type !== 'tool-group') throw new Error('no tool group');
  return segment;
}

const kinds = (...list: string[]) =>
  group(...list.map((kind, i) => call(0, i, { kind })), ...list.map((_, i) => done(0, i)));

describe('the label of a tool group', () => {
  it('counts the calls and says what they did', () => {
    expect(groupLabel(kinds('read', 'read', 'read', 'edit', 'other'), words)).toBe(
      '5 tool calls · read 3 files, edited 1',
    );
    expect(groupLabel(kinds('edit'), words)).toBe('1 tool call · edited 1 file');
    expect(groupLabel(kinds('search', 'search', 'execute'), words)).toBe(
      '3 tool calls · searched 2 times, ran 1 command',
    );
    expect(groupLabel(kinds('other', 'other'), words)).toBe('2 tool calls');
  });

  it('says what failed, and not that it was done', () => {
    const failed = group(call(0, 0), {
      type: 'tool_call_error',
      messageId: 'm1',
      segment: 0,
      item: 0,
      toolCallId: 'c0.0',
      error: 'no such file',
      retryable: false,
      wasRetried: false,
      durationMs: 1,
    });
    expect(groupLabel(failed, words)).toBe('1 tool call · 1 failed');
    expect(groupStatus(failed)).toBe('failed');
  });

  it('says of no call that is not over that it was done', () => {
    const at = { messageId: 'm1', segment: 0, item: 1, toolCallId: 'c0.1' };
    const asked = { type: 'permission_request' as const, ...at, requestId: 'p', options: [] };
    const calls = [call(0, 0, { kind: 'execute' }), call(0, 1, { kind: 'execute' })] as const;
    expect(groupLabel(group(...calls, done(0, 0), asked), words)).toBe('2 tool calls · ran 1 command');
    expect(groupLabel(group(...calls, asked), words)).toBe('2 tool calls');
    expect(groupLabel(group(...calls, done(0, 0), done(0, 1)), words)).toBe('2 tool calls · ran 2 commands');
  });

  it('calls a group that only thinks a thought', () => {
    expect(groupLabel(group(thought(0, 0, 'hm')), words)).toBe('Thought');
  });
});

describe('the duration of a group', () => {
  it('is known when everything has ended', () => {
    expect(groupDuration(group(call(0, 0), call(0, 1)).items)).toBeUndefined();
    expect(groupDuration(group(call(0, 0), call(0, 1), done(0, 0), done(0, 1)).items)).toBe(21);
  });
});
