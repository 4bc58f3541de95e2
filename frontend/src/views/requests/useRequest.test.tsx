import { renderHook } from '@testing-library/react';
import type { ReactNode } from 'react';
import { expect, it } from 'vitest';
import { Store } from '../../state/store';
import { WeftContext } from '../../state/weft';
import { agent, call, sequence } from '../../transcript/events.fixture';
import { applyEvents } from '../../transcript/fold';
import { emptyConversation, type ToolCall } from '../../transcript/model';
import { ReadingContext } from '../transcript/reading';
import { useRequest } from './useRequest';

const weft = { server: new Store({ spaces: [] }) } as never;
const reading = { session: { spaceId: 's', store: new Store({ space: { folder: '/x' } }) } } as never;
const within = ({ children }: { children: ReactNode }) => (
  <WeftContext value={weft}>
    <ReadingContext value={reading}>{children}</ReadingContext>
  </WeftContext>
);

it.each([
  { titled: false, said: ['Prepare the orchard'] },
  { titled: true, said: [] },
])('quotes a title as words of the agent only where it is its own: $said', ({ titled, said }) => {
  const start = call(0, 0, { kind: 'execute', title: 'Prepare the orchard' });
  const segment = applyEvents(emptyConversation, sequence(agent, start)).messages[0]?.segments[0];
  const item = (segment?.type === 'tool-group' ? segment.items[0] : undefined) as ToolCall;
  const reading = { commands: [{ line: 'make step' }], kind: 'execute', titled };
  const { result } = renderHook(() => useRequest(item, { requestId: 'p', options: [], reading } as never), {
    wrapper: within,
  });
  expect(result.current.said).toEqual(said);
});
