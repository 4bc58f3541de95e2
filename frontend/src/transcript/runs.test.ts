import { describe, expect, it } from 'vitest';
import { runOfMember } from '../state/members';
import { sequence } from './events.fixture';
import { applyEvents } from './fold';
import { emptyConversation, ownRuns, runOf } from './model';

const guest = {
  type: 'run_created',
  runId: 'r9',
  agentId: 'a',
  agentName: 'Planner',
  spaceId: 'shop',
} as const;
const message = {
  type: 'message_start',
  messageId: 'm1',
  runId: 'r9',
  role: 'agent',
  author: { kind: 'agent', id: 'a', name: 'Planner' },
} as const;

describe('a run of another space that writes here', () => {
  it('keeps its message live until it ends, and is no run of the member here', () => {
    const conversation = applyEvents(emptyConversation, sequence(guest, message));
    expect(conversation.runs).toMatchObject([{ id: 'r9', home: 'shop', memberId: 'main' }]);
    const [first] = conversation.messages;
    expect(first && runOf(conversation, first)?.id).toBe('r9');
    expect(ownRuns(conversation.runs)).toEqual([]);
    expect(runOfMember(conversation.runs, 'main')).toBeUndefined();
  });

  it('is gone with run_completed, also where its message ended before', () => {
    const events = sequence(
      guest,
      message,
      { type: 'message_end', messageId: 'm1', stopReason: 'end_turn' },
      { type: 'run_completed', runId: 'r9', stopReason: 'end_turn', spaceId: 'shop' },
    );
    const before = applyEvents(emptyConversation, events.slice(0, 3));
    expect(before.runs).toHaveLength(1);
    expect(applyEvents(before, events.slice(3)).runs).toEqual([]);
  });

  it('leaves an error of the space where it is', () => {
    const failed = { type: 'error', code: 'crashed', message: 'It ended.' } as const;
    const conversation = applyEvents(emptyConversation, sequence(failed, guest));
    expect(conversation.error).toMatchObject({ code: 'crashed' });
  });
});
