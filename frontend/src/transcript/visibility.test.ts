import { describe, expect, it } from 'vitest';
import { agent, call, done, sequence, text } from './events.fixture';
import { applyEvents } from './fold';
import { callCount, groupLabel } from './labels';
import { emptyConversation, type ToolGroup } from './model';
import { nestingOf, withoutPlaced } from './nest';

type Bodies = Parameters<typeof sequence>;
const of = (visibility: 'full' | 'minimal' | 'hidden', body: ReturnType<typeof call>) => ({
  ...body,
  visibility,
});
const failed = (item: number) =>
  ({
    type: 'tool_call_error',
    messageId: 'm1',
    segment: 0,
    item,
    toolCallId: `c0.${item}`,
    error: 'Broken.',
    retryable: false,
    wasRetried: false,
    durationMs: 1,
  }) as const;

function drawn(...bodies: Bodies) {
  const message = applyEvents(emptyConversation, sequence(agent, ...bodies)).messages[0];
  if (message === undefined) throw new Error('no message');
  const nesting = nestingOf(message);
  const group = message.segments[0] as ToolGroup;
  const left = nesting === null ? group : withoutPlaced(group, nesting.placed);
  return {
    ids: (left?.items ?? []).map((item) => (item.type === 'thought' ? 'thought' : item.toolCallId)),
    steps: left === null ? 0 : callCount(left),
    kept: group.items.length,
    group,
  };
}

describe('the visibility of a call', () => {
  it('leaves a hidden one out, and counts it nowhere', () => {
    const before = [of('hidden', call(0, 0)), call(0, 1)] as const;
    for (const events of [before, [...before, done(0, 0)], [...before, done(0, 0), done(0, 1)]]) {
      const { ids, steps, kept } = drawn(...events);
      expect({ ids, steps, kept }).toEqual({ ids: ['c0.1'], steps: 1, kept: 2 });
    }
    const { group } = drawn(...before, done(0, 0), done(0, 1));
    expect(callCount(group)).toBe(1);
    expect(group.kindCounts).toEqual({ read: 1 });
  });

  it('shows a hidden one that failed or waits', () => {
    expect(drawn(of('hidden', call(0, 0)), failed(0))).toMatchObject({ ids: ['c0.0'], steps: 1 });
    const asks = { messageId: 'm1', segment: 0, item: 0, toolCallId: 'c0.0', requestId: 'q' } as const;
    const waits: Bodies = [of('hidden', call(0, 0)), { type: 'permission_request', ...asks, options: [] }];
    expect(drawn(...waits)).toMatchObject({ ids: ['c0.0'], steps: 1 });
    const answer = { type: 'permission_resolved', ...asks, outcome: 'selected', status: 'running' } as const;
    expect(drawn(...waits, answer)).toMatchObject({ ids: [], steps: 0 });
  });

  it('shows a display, and what has something under it', () => {
    expect(drawn(of('hidden', call(0, 0, { kind: 'display' })), done(0, 0))).toMatchObject({ ids: ['c0.0'] });
    expect(
      drawn(of('hidden', call(0, 0)), { ...text(1, 'under it'), parentToolCallId: 'c0.0' }),
    ).toMatchObject({ ids: ['c0.0'] });
  });

  it('leaves out no other, and can be taken back', () => {
    expect(drawn(of('minimal', call(0, 0)), of('full', call(0, 1)))).toMatchObject({ ids: ['c0.0', 'c0.1'] });
    const back = {
      type: 'tool_call_update',
      messageId: 'm1',
      segment: 0,
      item: 0,
      toolCallId: 'c0.0',
    } as const;
    const { ids, steps, group } = drawn(of('hidden', call(0, 0)), done(0, 0), {
      ...back,
      visibility: 'full',
    });
    expect({ ids, steps }).toEqual({ ids: ['c0.0'], steps: 1 });
    expect(group.items[0]).toMatchObject({ visibility: undefined });
  });

  it('does not count a hidden one that was refused among what was not done', () => {
    const rejected = { ...done(0, 0), status: 'rejected' } as const;
    const { group } = drawn(
      of('hidden', call(0, 0)),
      rejected,
      call(0, 1),
      {
        ...done(0, 1),
        status: 'rejected',
      } as const,
      call(0, 2),
      done(0, 2),
    );
    const words = {
      calls: (n: number) => `${n}`,
      thought: (n: number) => `${n}`,
      did: (kind: string, n: number) => `${kind} ${n}`,
      state: (status: string, n: number) => `${status} ${n}`,
      beside: (parts: readonly string[]) => parts.join(', '),
    };
    expect(groupLabel(group, words)).toBe('Read 1 · rejected 1');
  });
});
