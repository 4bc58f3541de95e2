import { act, renderHook } from '@testing-library/react';
import { expect, it } from 'vitest';
import { Attachments } from '../../state/attachments';
import { Session } from '../../state/session';
import type { Json } from '../../transcript/types';
import type { Member } from '../../transport/api';
import { useAttachmentSupport } from './useAttachmentSupport';
import { attachmentWords } from './useAttachments';

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
  const { result, rerender } = renderHook(({ asked }) => useAttachmentSupport(session, attachments, asked), {
    initialProps: { asked: [main, two] },
  });
  expect(result.current.limitedMember).toBe(main);
  act(() => attachments.addStored({ hash: 'h', size: 1, mimeType: 'image/png' }, 'apple.png', 'image'));
  // The second one isn't known yet.
  expect(result.current.limitedMember).toBe(main);
  expect(result.current.lacksSupport(two)).toBe(false);
  act(() => state({ 'session@two': offers('agent-of-two', false) }));
  expect(result.current.limitedMember).toBe(two);
  expect(result.current.can).toEqual({ image: false });
  expect([main, two].map(result.current.lacksSupport)).toEqual([false, true]);
  // Members that aren't recipients don't matter.
  rerender({ asked: [main] });
  expect(result.current.limitedMember).toBe(main);
  // The capabilities of the previous agent don't apply to the new one.
  rerender({ asked: [{ ...two, agentId: 'other' }] });
  expect(result.current.can).toBeNull();
});
