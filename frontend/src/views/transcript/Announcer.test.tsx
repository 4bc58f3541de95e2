import { act, render } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Session } from '../../state/session';
import { Store } from '../../state/store';
import { agent, call, done, sequence, text } from '../../transcript/events.fixture';
import { applyEvents } from '../../transcript/fold';
import { type Conversation, emptyConversation } from '../../transcript/model';
import { Announcer } from './Announcer';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe('what is spoken', () => {
  const listen = () => {
    const run = { type: 'run_created', runId: 'r1', agentId: 'a', agentName: 'Agent' } as const;
    const store = new Store<{ conversation: Conversation; space: null }>({
      conversation: applyEvents(emptyConversation, sequence(run, agent)),
      space: null,
    });
    const { container } = render(<Announcer session={{ store } as unknown as Session} />);
    const said: string[] = [];
    const [finished, asked] = container.querySelectorAll('[aria-live]');
    const add = (...events: Parameters<typeof sequence>) =>
      store.set({ conversation: applyEvents(store.get().conversation, sequence(...events)) });
    const hear = () => {
      act(() => vi.advanceTimersByTime(5000));
      said.push(finished?.textContent ?? '');
    };
    return { said, add, hear, asked: () => asked?.textContent };
  };

  it('is plain text', () => {
    const { said, add, hear } = listen();
    add(text(0, 'A **bold** `word` and [a link](https://a.test).'));
    add({ type: 'message_end', messageId: 'm1', stopReason: 'end_turn' });
    hear();
    expect(said[0]).toContain('A bold word and a link.');
  });

  it('is gathered, so that segments which end in a row are all said, each once', () => {
    const { said, add, hear } = listen();
    add(text(0, 'First.'));
    add(call(1, 0), done(1, 0));
    add(text(2, 'Second.'));
    add(call(3, 0));
    hear();
    expect(said[0]).toContain('First.');
    expect(said[0]).toContain('Second.');
    add(done(3, 0));
    add(text(4, 'Third.'));
    add({ type: 'message_end', messageId: 'm1', stopReason: 'end_turn' });
    hear();
    expect(said[1]).toContain('Third.');
    expect(said[1]).not.toContain('Second.');
  });

  it('is a request that still waits when it is said', () => {
    const { add, hear, asked } = listen();
    const at = { messageId: 'm1', segment: 0, item: 0, toolCallId: 'c0.0' };
    const options = [{ optionId: 'yes', name: 'Allow', kind: 'allow_once' }];
    add(call(0, 0, { kind: 'execute', title: 'Run' }), {
      ...{ type: 'permission_request', ...at, requestId: 'p1', options },
    });
    hear();
    expect(asked()).toMatch(/\S/);
  });

  it('is a display that waits, as one sentence', () => {
    const { add, hear, asked } = listen();
    const at = { messageId: 'm1', segment: 0, item: 0, toolCallId: 'c0.0' };
    const options = ['answer', 'cancel'].map((name) => ({
      ...{ optionId: `display:${name}`, name, kind: 'allow_once' },
    }));
    add(call(0, 0, { kind: 'display', title: 'Choose a fruit.' }), {
      ...{ type: 'permission_request', ...at, requestId: 'p1', options },
    });
    hear();
    expect(asked()).toMatch(/^The agent asks: Choose a fruit\. Press/);
  });
});
