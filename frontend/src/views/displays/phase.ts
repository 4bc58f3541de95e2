import type { ToolCall } from '../../transcript/model';
import { objectOf } from '../../transcript/object';
import type { Json } from '../../transcript/types';
import { openRequest } from '../../transcript/waiting';
import { type Result, resultOf } from './result';

/** The state of a display from the user's point of view. */
export type Phase =
  | 'writing'
  | 'shown'
  /** It can be answered although nobody waits for it. */
  | 'open'
  | 'permission'
  | 'waiting'
  | 'answered'
  | 'expired'
  | 'cancelled'
  | 'failed';

export interface From {
  space: string;
  spaceId: string;
  agent: string;
  /** The message in which it was asked; empty if unknown. */
  messageId: string;
}

/** The outcome of a display, from its status and output. */
export interface Outcome {
  phase: Phase;
  answer: Json | undefined;
  /** Unix milliseconds; 0 if unknown. */
  at: number;
  /** The user ended it, with or without an answer. */
  byUser: boolean;
  /** The agent had stopped waiting and got the answer as its next prompt. */
  late: boolean;
  /** No agent was waiting: the answer was the next prompt. */
  next: boolean;
  /** The agent is gone, or couldn't receive the answer. */
  unsent: boolean;
  /** The tool's result, if it ran. */
  result: Result | null;
  /** The source, if it was asked from another space. */
  from: From | null;
}

export function outcomeOf(call: ToolCall, writing: boolean): Outcome {
  const output = objectOf(call.output) ?? {};
  const { at, late } = output;
  const answer = output['answer'];
  const from = objectOf(objectOf(call.drawn)?.['from']);
  const state = output['state'];
  // Older versions stored results as answers.
  const result =
    output['result'] ?? (state === 'shown' && objectOf(answer)?.['content'] ? answer : undefined);
  return {
    phase: phaseOf(call, state, output['wait'] === 'none', writing),
    answer: answer === null || result === answer ? undefined : answer,
    next: output['wait'] === 'none',
    unsent: output['unsent'] === true,
    result: resultOf(result),
    at: typeof at === 'number' ? at : 0,
    byUser: output['by'] === 'person',
    late: late === true,
    from:
      from === null
        ? null
        : {
            space: word(from['spaceName']),
            spaceId: word(from['spaceId']),
            agent: word(from['agent']),
            messageId: word(from['messageId']),
          },
  };
}

function phaseOf(call: ToolCall, state: Json | undefined, open: boolean, writing: boolean): Phase {
  switch (call.status) {
    case 'waiting':
      // The agent asks for permission to show this, which is answered first.
      return openRequest(call) === undefined ? 'waiting' : 'permission';
    case 'failed':
      return state === 'expired' ? 'expired' : 'failed';
    case 'cancelled':
    case 'rejected':
      return state === 'expired' ? 'expired' : 'cancelled';
    case 'completed':
      if (state === 'answered' || state === 'expired' || state === 'cancelled') return state;
      return open && state === 'shown' ? 'open' : 'shown';
    default:
      return writing || call.status === 'pending' ? 'writing' : 'shown';
  }
}

function word(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}
