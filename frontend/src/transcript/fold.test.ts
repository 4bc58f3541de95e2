import { describe, expect, it } from 'vitest';
import { Random } from '../markdown/testing/random';
import { agent, call, done, sequence, text, thought } from './events.fixture';
import { applyEvents } from './fold';
import { foldEvents } from './fold.fixture';
import {
  emptyConversation,
  memberOf,
  type Run,
  runOf,
  type ToolCall,
  type ToolGroup,
  workedFor,
} from './model';
import { waitIntervalsOf } from './runs';
import type { Event, Said } from './types';

describe('the fold', () => {
  it('keeps text, thoughts and calls in the order in which they came', () => {
    const [message] = foldEvents(
      sequence(
        agent,
        text(0, 'Let me '),
        text(0, 'look.'),
        thought(1, 0, 'which file'),
        call(1, 1),
        done(1, 1, 'Read 3 lines'),
        text(2, 'Found it.'),
        { type: 'message_end', messageId: 'm1', stopReason: 'end_turn' },
      ),
    );
    expect(message).toMatchObject({
      id: 'm1',
      role: 'agent',
      createdAt: 1000,
      endedAt: 1007,
      stopReason: 'end_turn',
      segments: [
        { type: 'text', text: 'Let me look.' },
        {
          type: 'tool-group',
          items: [
            { type: 'thought', text: 'which file', startedAt: 1003, endedAt: 1003 },
            { type: 'tool_call', call: { status: 'completed', summary: 'Read 3 lines', durationMs: 20 } },
          ],
        },
        { type: 'text', text: 'Found it.' },
      ],
    });
  });

  it('replaces only the fields of a call that an update has', () => {
    const [message] = foldEvents(
      sequence(
        agent,
        { ...call(0, 0), input: { path: 'a' } },
        {
          type: 'tool_call_update',
          messageId: 'm1',
          segment: 0,
          item: 0,
          toolCallId: 'c0.0',
          title: 'Read b',
        },
      ),
    );
    expect(message).toMatchObject({
      segments: [{ items: [{ call: { title: 'Read b', kind: 'read', input: { path: 'a' } } }] }],
    });
  });

  it('lets a list by reference replace one that stood inline, and the reverse', () => {
    const ref = { hash: 'aa', size: 9 };
    const at = { messageId: 'm1', segment: 0, item: 0, toolCallId: 'c0.0' };
    const [byRef] = foldEvents(
      sequence(
        agent,
        { ...call(0, 0), content: [{ type: 'text', text: 'x' }] },
        { type: 'tool_call_update', ...at, contentRef: ref },
      ),
    );
    expect(byRef).toMatchObject({ segments: [{ items: [{ call: { contentRef: ref } }] }] });
    expect(JSON.stringify(byRef)).not.toContain('"content":');
  });

  it.each(['cancelled', 'rejected'] as const)('takes an error that says %s for no failure', (status) => {
    const at = { messageId: 'm1', segment: 0, item: 0, toolCallId: 'c0.0' };
    const error = { error: 'Not done.', retryable: false, wasRetried: false, durationMs: 20 };
    const ended = (more: { status?: typeof status; summary?: string }) =>
      foldEvents(sequence(agent, call(0, 0), { type: 'tool_call_error', ...at, ...error, ...more }))[0];
    const [old] = foldEvents(sequence(agent, call(0, 0), { ...done(0, 0), status }));
    for (const [message, fields] of [
      [ended({ status, summary: 'why' }), { status, summary: 'why' }],
      [old, { status }],
    ] as const) {
      expect(message).toMatchObject({ segments: [{ items: [{ call: fields }] }] });
      expect(JSON.stringify(message)).not.toContain('"error"');
    }
    expect(ended({})).toMatchObject({
      segments: [{ items: [{ call: { status: 'failed', error: 'Not done.' } }] }],
    });
  });

  it('keeps several permission requests of one call apart', () => {
    const at = { messageId: 'm1', segment: 0, item: 0, toolCallId: 'c0.0' };
    const options = [{ optionId: 'y', name: 'Yes', kind: 'allow_once' }];
    const [message] = foldEvents(
      sequence(
        agent,
        call(0, 0),
        { type: 'permission_request', ...at, requestId: 'p1', options },
        { type: 'permission_request', ...at, requestId: 'p2', options },
        {
          type: 'permission_resolved',
          ...at,
          requestId: 'p1',
          outcome: 'selected',
          optionId: 'y',
          status: 'waiting',
        },
      ),
    );
    expect(message).toMatchObject({
      segments: [
        {
          items: [
            {
              call: {
                status: 'waiting',
                permissions: [
                  { requestId: 'p1', outcome: 'selected', optionId: 'y' },
                  { requestId: 'p2', options },
                ],
              },
            },
          ],
        },
      ],
    });
  });

  it('accepts a completion that comes after the end of the message', () => {
    const [message] = foldEvents(
      sequence(
        agent,
        call(0, 0),
        { type: 'message_end', messageId: 'm1', stopReason: 'cancelled' },
        done(0, 0, 'late'),
      ),
    );
    expect(message).toMatchObject({
      segments: [{ items: [{ call: { status: 'completed', summary: 'late' } }] }],
    });
  });

  it('keeps what it does not know', () => {
    const [message] = foldEvents(
      sequence(agent, { type: 'opaque', messageId: 'm1', kind: 'new_thing', raw: { a: 1 } }),
    );
    expect(message).toMatchObject({ opaque: [{ kind: 'new_thing', at: 1001, raw: { a: 1 } }] });
  });

  it('ignores what is about messages and places that are not held', () => {
    const events = sequence(agent, text(3, 'too far'), { ...text(0, 'x'), messageId: 'other' }, done(0, 0));
    expect(foldEvents(events)).toMatchObject([{ segments: [] }]);
  });
});

describe('structural sharing', () => {
  const start = applyEvents(
    emptyConversation,
    sequence(agent, text(0, 'a'), call(1, 0), call(1, 1), text(2, 'b')),
  );

  it('replaces only what changed', () => {
    const next = applyEvents(start, sequence(done(1, 1)));
    const [before] = start.messages;
    const [after] = next.messages;
    expect(after).not.toBe(before);
    expect(after?.segments[0]).toBe(before?.segments[0]);
    expect(after?.segments[2]).toBe(before?.segments[2]);
    const groups = [before, after].map((message) => message?.segments[1] as ToolGroup);
    expect(groups[1]?.items[0]).toBe(groups[0]?.items[0]);
    expect(groups[1]?.items[1]).not.toBe(groups[0]?.items[1]);
    expect(groups[0]?.statusCounts).toEqual({ running: 2 });
    expect(groups[1]?.statusCounts).toEqual({ running: 1, completed: 1 });
  });

  it('answers the same object where nothing changed', () => {
    expect(applyEvents(start, [])).toBe(start);
    expect(applyEvents(start, sequence({ ...text(0, 'x'), messageId: 'unknown' }))).toBe(start);
  });

  it('does not copy a long text for every piece of it', () => {
    const deltas = Array.from({ length: 50_000 }, (_, i) => text(0, `${i} `));
    const conversation = applyEvents(emptyConversation, sequence(agent, ...deltas));
    const [segment] = conversation.messages[0]?.segments ?? [];
    expect(segment?.type === 'text' && segment.text.end).toBe(50_000);
  });
});

describe('the clock of a run', () => {
  it('is the same where only the requests of its message are known, as after a reload', () => {
    for (let seed = 1; seed <= 300; seed++) {
      const random = new Random(seed);
      const open: string[] = [];
      const events: object[] = [
        { type: 'run_created', runId: 'r1', agentId: 'a', agentName: 'Agent', at: 1000 },
        { ...agent, at: 1000 },
        { ...call(0, 0), at: 1000 },
      ];
      for (let n = 1, at = 1000; n <= 2 + random.below(12); n++) {
        at += 1 + random.below(3000);
        const about = { messageId: 'm1', segment: 0, item: 0, toolCallId: 'c0.0' };
        if (open.length > 0 && random.below(2) === 0) {
          const [requestId] = open.splice(random.below(open.length), 1);
          const answer = { outcome: 'selected', status: 'running' };
          events.push({ type: 'permission_resolved', ...about, requestId, ...answer, at });
        } else {
          const requestId = `q${n}`;
          open.push(requestId);
          events.push({ type: 'permission_request', ...about, requestId, options: [], at });
          events.push({ type: 'run_waiting_tool', runId: 'r1', toolCallId: 'c0.0', requestId, at });
        }
      }
      const { runs, messages } = applyEvents(
        emptyConversation,
        events.map((event, i) => ({ epoch: 1, seq: i + 1, ...event })) as unknown as Event[],
      );
      const group = messages[0]?.segments[0] as ToolGroup;
      expect(waitIntervalsOf((group.items[0] as ToolCall).permissions), `seed ${seed}`).toEqual(
        runs[0]?.waitIntervals,
      );
    }
  });

  it('stops while any request waits for the user, and goes on after the last one', () => {
    const ask = (at: number, requestId: string) => ({
      ...{ type: 'run_waiting_tool', runId: 'r1', toolCallId: 'c', requestId, at },
    });
    const answered = (at: number, requestId: string) => ({
      ...{ type: 'permission_resolved', messageId: 'gone', segment: 0, item: 0, toolCallId: 'c', requestId },
      ...{ outcome: 'selected', status: 'running', at },
    });
    const run = (...events: object[]) => {
      const begun = { type: 'run_created', runId: 'r1', agentId: 'a', agentName: 'Agent', at: 1000 };
      const all = [begun, ...events].map((event, i) => ({ epoch: 1, seq: i + 1, ...event }));
      return applyEvents(emptyConversation, all as unknown as Event[]).runs[0] as Run;
    };
    const worked = (...events: object[]) => [2000, 9000].map((now) => workedFor(run(...events), 1000, now));
    expect(worked()).toEqual([1000, 8000]);
    expect(worked(ask(1500, 'p'))).toEqual([500, 500]);
    expect(worked(ask(1500, 'p'), answered(6000, 'p'))).toEqual([500, 3500]);
    expect(worked(ask(1500, 'p'), ask(2500, 'q'), answered(6000, 'p'))).toEqual([500, 500]);
    expect(worked(ask(1500, 'p'), ask(2500, 'q'), answered(6000, 'p'), answered(7000, 'q'))).toEqual([
      500, 2500,
    ]);
    expect(worked(ask(1500, 'p'), answered(1600, 'p'), ask(2500, 'q'))).toEqual([900, 1400]);
    // A message that starts while its run waits counts from its own start.
    expect(workedFor(run(ask(1500, 'p'), answered(6000, 'p')), 5000, 9000)).toBe(3000);
    expect(workedFor(run(ask(1500, 'p'), answered(6000, 'p')), 7000, 9000)).toBe(2000);
  });
});

describe('the state beside the messages', () => {
  it('follows runs and replaces parts as a whole', () => {
    const running = applyEvents(
      emptyConversation,
      sequence(
        { type: 'run_created', runId: 'r1', agentId: 'a', agentName: 'Agent' },
        agent,
        { type: 'plan', value: [{ content: 'x', status: 'pending' }] },
        { type: 'run_waiting_tool', runId: 'r1', toolCallId: 'c', requestId: 'p' },
      ),
    );
    expect(running.runs).toMatchObject([{ id: 'r1', memberId: 'main', waitsFor: ['p'] }]);
    expect(running.state['plan']).toEqual([{ content: 'x', status: 'pending' }]);
    expect(
      applyEvents(running, sequence({ type: 'run_completed', runId: 'r1', stopReason: 'end_turn' })).runs,
    ).toEqual([]);
  });

  const both = sequence(
    { type: 'run_created', runId: 'r1', agentId: 'a', agentName: 'Agent' },
    { type: 'run_created', runId: 'r2', agentId: 'b', agentName: 'Other', memberId: 'two' },
    agent,
    {
      ...agent,
      messageId: 'm2',
      runId: 'r2',
      author: { kind: 'agent', id: 'b', name: 'Tester', memberId: 'two' },
    },
    { ...call(0, 0), messageId: 'm2' },
    text(0, 'one'),
  );

  it('keeps several runs apart, each by its own events', () => {
    const options = [{ optionId: 'y', name: 'Yes', kind: 'allow_once' }];
    const at = { messageId: 'm2', segment: 0, item: 0, toolCallId: 'c0.0', requestId: 'p' };
    const waiting = applyEvents(emptyConversation, [
      ...both,
      ...sequence(
        { type: 'permission_request', ...at, options },
        { type: 'run_waiting_tool', runId: 'r2', toolCallId: 'c0.0', requestId: 'p' },
        { type: 'run_waiting_tool', runId: 'r2', toolCallId: 'elsewhere', requestId: 'q' },
        { type: 'run_waiting_tool', runId: 'r2', toolCallId: 'elsewhere', requestId: 'any', kind: 'reply' },
      ),
    ]);
    const states = (runs: typeof waiting.runs) => runs.map(({ memberId, waitsFor }) => [memberId, waitsFor]);
    expect(states(waiting.runs)).toEqual([
      ['main', []],
      ['two', ['p', 'q']],
    ]);
    const answered = applyEvents(
      waiting,
      sequence({ type: 'permission_resolved', ...at, outcome: 'selected', optionId: 'y', status: 'running' }),
    );
    expect(states(answered.runs)).toEqual([
      ['main', []],
      ['two', ['q']],
    ]);
    expect(answered.runs[0]).toBe(waiting.runs[0]);
    const after = applyEvents(
      answered,
      sequence({ type: 'run_completed', runId: 'r1', stopReason: 'end_turn' }),
    );
    expect(after.runs.map(({ id }) => id)).toEqual(['r2']);
    expect(after.messages.map((message) => runOf(after, message)?.id)).toEqual([undefined, 'r2']);
  });

  it('writes into two messages at a time, each in its place', () => {
    const now = applyEvents(emptyConversation, [
      ...both,
      ...sequence(text(0, ' two'), { ...text(1, 'three'), messageId: 'm2' }, text(0, ' four')),
    ]);
    const said = now.messages.map(({ segments }) =>
      segments.flatMap((one) => (one.type === 'text' ? [one.text.toString()] : [])),
    );
    expect(said).toEqual([['one two four'], ['three']]);
    expect(now.messages.map(({ author }) => memberOf(author))).toEqual(['main', 'two']);
  });

  it('keeps the state of each member under its own key', () => {
    const { state } = applyEvents(
      emptyConversation,
      sequence(
        { type: 'mode', value: 'ask' },
        { type: 'mode', value: 'code', memberId: 'two' },
        { type: 'queue', value: [] },
      ),
    );
    expect(state).toEqual({ mode: 'ask', 'mode@two': 'code', queue: [] });
  });

  it('puts an error into its message, and one without a message beside them', () => {
    const error = {
      type: 'error',
      code: 'agent_exited',
      message: 'It exited.',
      retryable: true,
      said: ['It exited.'] as Said,
      retryAt: 7,
    } as const;
    const inside = applyEvents(emptyConversation, sequence(agent, { ...error, messageId: 'm1' }));
    expect(inside.messages[0]?.error).toEqual({
      code: 'agent_exited',
      message: 'It exited.',
      retryable: true,
      said: ['It exited.'],
      retryAt: 7,
    });
    expect(applyEvents(emptyConversation, sequence(error)).error?.code).toBe('agent_exited');
  });
});
