import { describe, expect, it } from 'vitest';
import { words } from '../views/tools/words';
import { agent, call, done, sequence, thought } from './events.fixture';
import { applyEvents } from './fold';
import { groupDuration, groupLabel, groupStatus } from './labels';
import { emptyConversation, type ToolCall, type ToolGroup } from './model';

function group(...bodies: Parameters<typeof sequence>): ToolGroup {
  const segment = applyEvents(emptyConversation, sequence(agent, ...bodies)).messages[0]?.segments[0];
  if (segment?.type !== 'tool-group') throw new Error('no tool group');
  return segment;
}

const kinds = (...list: string[]) =>
  group(...list.map((kind, i) => call(0, i, { kind })), ...list.map((_, i) => done(0, i)));

describe('the label of a tool group', () => {
  it('says what the calls did, and how many there are only where that is not all', () => {
    expect(groupLabel(kinds('read', 'read', 'read', 'edit', 'other'), words)).toBe(
      '5 tool calls · read 3 files, edited 1',
    );
    expect(groupLabel(kinds('edit'), words)).toBe('Edited 1 file');
    expect(groupLabel(kinds('search', 'search', 'execute'), words)).toBe('Searched 2 times, ran 1 command');
    expect(groupLabel(kinds('other', 'other'), words)).toBe('2 tool calls');
  });

  const fails = (item: number) =>
    ({
      type: 'tool_call_error',
      messageId: 'm1',
      segment: 0,
      item,
      toolCallId: `c0.${item}`,
      error: 'no such file',
      retryable: false,
      wasRetried: false,
      durationMs: 1,
    }) as const;

  it('counts those that failed, and says how many', () => {
    const failed = group(call(0, 0), fails(0));
    expect(groupLabel(failed, words)).toBe('Read 1 file · 1 failed');
    expect(groupStatus(failed)).toBe('failed');
  });

  it('says of no call that is not over that it was done', () => {
    const at = { messageId: 'm1', segment: 0, item: 1, toolCallId: 'c0.1' };
    const asked = { type: 'permission_request' as const, ...at, requestId: 'p', options: [] };
    const calls = [call(0, 0, { kind: 'execute' }), call(0, 1, { kind: 'execute' })] as const;
    expect(groupLabel(group(...calls, done(0, 0), asked), words)).toBe('2 tool calls · ran 1 command');
    expect(groupLabel(group(...calls, asked), words)).toBe('2 tool calls');
    expect(groupLabel(group(...calls, done(0, 0), done(0, 1)), words)).toBe('Ran 2 commands');
  });

  it('counts the same whichever of its calls are held', () => {
    const list = Array.from({ length: 160 }, (_, i) => (i < 80 ? 'read' : 'execute'));
    const ends = list.map((_, i) => (i % 4 === 3 ? fails(i) : done(0, i)));
    const whole = group(...list.map((kind, i) => call(0, i, { kind })), ...ends);
    for (const held of [160, 50, 1, 0]) {
      const part = { ...whole, items: whole.items.slice(160 - held), firstItem: 160 - held };
      expect(groupLabel(part, words), `${held} held`).toBe('Read 80 files, ran 80 commands · 40 failed');
    }
  });

  it('says no more than how many there are where the kinds of those that were rejected are not known', () => {
    const at = { messageId: 'm1', segment: 0, item: 0, toolCallId: 'c0.0' };
    const asked = { type: 'permission_request' as const, ...at, requestId: 'p', options: [] };
    const no = {
      type: 'permission_resolved' as const,
      ...at,
      requestId: 'p',
      outcome: 'selected',
      status: 'rejected',
    } as const;
    const whole = group(call(0, 0, { kind: 'edit' }), call(0, 1), done(0, 1), asked, no);
    expect(groupLabel(whole, words)).toBe('Read 1 file · 1 rejected');
    expect(groupLabel({ ...whole, items: whole.items.slice(1), firstItem: 1 }, words)).toBe(
      '2 tool calls · 1 rejected',
    );
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

  it('leaves out the time in which the user was asked', () => {
    const [first, second] = group(call(0, 0), call(0, 1), done(0, 0), done(0, 1)).items as ToolCall[];
    const asked = { requestId: 'p', options: [], outcome: 'selected', requestedAt: 1100, resolvedAt: 61_100 };
    const items = [
      { ...first, startedAt: 1000, durationMs: 100 },
      { ...second, startedAt: 61_100, durationMs: 50, permissions: [asked] },
    ] as ToolCall[];
    expect(groupDuration(items)).toBe(150);
  });
});
