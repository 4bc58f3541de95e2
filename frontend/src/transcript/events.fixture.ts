import type { Event } from './types';

type Body<E> = E extends Event ? Omit<E, 'epoch' | 'seq' | 'at'> & { at?: number } : never;

/** Fills in the sequence numbers of events. */
export function sequence(...bodies: Body<Event>[]): Event[] {
  return bodies.map((body, i) => ({ epoch: 1, seq: i + 1, at: 1000 + i, ...body }) as Event);
}

export const agent = {
  type: 'message_start',
  messageId: 'm1',
  runId: 'r1',
  role: 'agent',
  author: { kind: 'agent', id: 'a', name: 'Agent' },
} as const;

export function text(segment: number, content: string) {
  return { type: 'text_delta', messageId: 'm1', segment, content } as const;
}

export function thought(segment: number, item: number, content: string) {
  return { type: 'reasoning_delta', messageId: 'm1', segment, item, content } as const;
}

export function call(segment: number, item: number, fields: { kind?: string; title?: string } = {}) {
  return {
    type: 'tool_call_start',
    messageId: 'm1',
    segment,
    item,
    toolCallId: `c${segment}.${item}`,
    toolName: '',
    title: fields.title ?? 'Read',
    kind: fields.kind ?? 'read',
    status: 'running',
  } as const;
}

export function done(segment: number, item: number, summary = '') {
  return {
    type: 'tool_call_end',
    messageId: 'm1',
    segment,
    item,
    toolCallId: `c${segment}.${item}`,
    status: 'completed',
    summary,
    resultCount: null,
    durationMs: 20,
  } as const;
}
