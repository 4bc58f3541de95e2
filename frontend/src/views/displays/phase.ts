import type { ToolCall } from '../../transcript/model';
import { objectOf } from '../../transcript/object';
import type { Json } from '../../transcript/types';
import { openRequest } from '../../transcript/waiting';
import { type Result, resultOf } from './result';

/** Where a display is, as a user sees it. */
export type Phase =
  | 'writing'
  | 'shown'
  /** It is shown, and can be answered, though nobody waits for that. */
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
  /** What it was asked in; empty where that is not known. */
  messageId: string;
}

/** What has become of a display: its status, and what its output says. */
export interface Outcome {
  phase: Phase;
  answer: Json | undefined;
  /** Unix milliseconds; 0 where it is not told. */
  at: number;
  /** The user has ended it, with an answer or without. */
  byPerson: boolean;
  /** The agent had stopped waiting, and got the answer as its next prompt. */
  late: boolean;
  /** Nobody ever waited: the answer was the next prompt. */
  next: boolean;
  /** The agent is gone, or could not be told the answer. */
  unsent: boolean;
  /** What a tool has answered, if one was run. */
  result: Result | null;
  /** Where it was asked from, if that is another space. */
  from: From | null;
}

export function outcomeOf(call: ToolCall, writing: boolean): Outcome {
  const output = objectOf(call.output) ?? {};
  const { at, late } = output;
  const answer = output['answer'];
  const from = objectOf(objectOf(call.drawn)?.['from']);
  const state = output['state'];
  // Results were kept as answers once.
  const result =
    output['result'] ?? (state === 'shown' && objectOf(answer)?.['content'] ? answer : undefined);
  return {
    phase: phaseOf(call, state, output['wait'] === 'none', writing),
    answer: answer === null || result === answer ? undefined : answer,
    next: output['wait'] === 'none',
    unsent: output['unsent'] === true,
    result: resultOf(result),
    at: typeof at === 'number' ? at : 0,
    byPerson: output['by'] === 'person',
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
      // The agent asks whether it may show this: that is answered first.
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
