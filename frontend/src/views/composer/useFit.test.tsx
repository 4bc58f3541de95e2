import { act, renderHook } from '@testing-library/react';
import { expect, it } from 'vitest';
import { Attachments } from '../../state/attachments';
import { Session } from '../../state/session';
import type { Json } from '../../transcript/types';
import type { Member } from '../../transport/api';
import { attachmentWords } from './useAttachments';
import { useFit } from './useFit';

const member = (id: string): Member => ({
  ...{
    id,
    name: id,
    agentId: `agent-of-${id}`,
    agentName: id,
    role: '',
    joinedAt: 0,
    default: id === 'main',
  },
  ...{ speaks: 'direct', reads: 'all' },
});
const [main, two] = [member('main'), member('two')];
const offers = (agentId: string, image: boolean): Json => ({
  agentId,
  options: [],
  can: { image },
  auth: [],
});

it('tells the limits of the one that cannot take it, as soon as that is known', () => {
  const session = new Session({} as never, 's1');
  const state = (change: Record<string, Json>) => {
    const { conversation } = session.store.get();
    session.store.set({ conversation: { ...conversation, state: { ...conversation.state, ...change } } });
  };
  state({ session: offers('agent-of-main', true) });
  const attachments = new Attachments('s1', attachmentWords);
  const { result, rerender } = renderHook(({ asked }) => useFit(session, attachments, asked), {
    initialProps: { asked: [main, two] },
  });
  expect(result.current.taker).toBe(main);
  act(() => attachments.addStored({ hash: 'h', size: 1, mimeType: 'image/png' }, 'apple.png', 'image'));
  // Nobody knows of the second one yet.
  expect(result.current.taker).toBe(main);
  expect(result.current.unfit(two)).toBe(false);
  act(() => state({ 'session@two': offers('agent-of-two', false) }));
  expect(result.current.taker).toBe(two);
  expect(result.current.can).toEqual({ image: false });
  expect([main, two].map(result.current.unfit)).toEqual([false, true]);
  // Who is not asked does not matter.
  rerender({ asked: [main] });
  expect(result.current.taker).toBe(main);
  // What is known of the agent that it was before says nothing about the one that it is.
  rerender({ asked: [{ ...two, agentId: 'other' }] });
  expect(result.current.can).toBeNull();
});
