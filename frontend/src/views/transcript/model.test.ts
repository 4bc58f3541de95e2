// @vitest-environment jsdom
import { describe, expect, it, vi } from 'vitest';
import type { Session } from '../../state/session';
import { Store } from '../../state/store';
import { agent, call, sequence, text } from '../../transcript/events.fixture';
import { applyEvents } from '../../transcript/fold';
import { emptyConversation } from '../../transcript/model';
import { TranscriptModel } from './model';

const run = { type: 'run_created', runId: 'r1', agentId: 'a', agentName: 'Agent' } as const;

describe('the rows of a transcript, kept up to date', () => {
  it('tell nothing but growth while a text grows, and rows when they change', () => {
    const begun = applyEvents(emptyConversation, sequence(run, agent, text(0, 'One')));
    const store = new Store({ conversation: begun });
    const model = new TranscriptModel({ store } as unknown as Session, 'in-place');
    const stop = model.follow();
    const changed = vi.fn();
    const grew = vi.fn();
    model.store.subscribe(changed);
    model.onGrowth(grew);
    for (const more of [' two', ' three.\n\n', '# Four\n\n', 'Five']) {
      store.set({ conversation: applyEvents(store.get().conversation, sequence(text(0, more))) });
    }
    expect(changed).not.toHaveBeenCalled();
    expect(grew).toHaveBeenCalledTimes(4);
    store.set({ conversation: applyEvents(store.get().conversation, sequence(call(1, 0))) });
    expect(changed).toHaveBeenCalledTimes(1);
    // How a thought is shown doesn't change its row, but rows that depend on it are notified.
    model.setThoughts('hidden');
    model.revealThoughts('m1');
    expect(model.store.get().style.thinking.has('m1')).toBe(true);
    stop();
  });
});
