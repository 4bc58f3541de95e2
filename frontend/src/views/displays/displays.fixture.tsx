import { act, fireEvent, render } from '@testing-library/react';
import { vi } from 'vitest';
import { Session } from '../../state/session';
import { Weft, WeftContext } from '../../state/weft';
import { agent, sequence } from '../../transcript/events.fixture';
import { applyEvents } from '../../transcript/fold';
import { emptyConversation, type ToolCall } from '../../transcript/model';
import { unstyled } from '../../transcript/style';
import type { Json, Status } from '../../transcript/types';
import type { Transport } from '../../transport/transport';
import { noSpot } from '../find/spot';
import { useKeys } from '../shell/useKeys';
import { Disclosures } from '../transcript/disclosure';
import { ReadingContext } from '../transcript/reading';
import { ShownCall } from './ShownCall';

export { inputs, png } from './inputs.fixture';

/** Requests sent to the backend. */
export const sent = vi.fn<(command: string, request: unknown) => Promise<unknown>>();

const start = {
  type: 'tool_call_start',
  messageId: 'm1',
  segment: 0,
  item: 0,
  kind: 'display',
} as const;

interface More {
  /** Options of its pending requests. */
  requests?: string[][];
  output?: Json;
  drawn?: Json;
  id?: string;
  error?: string;
}

/** A display as the fold creates it. */
export function display(
  toolName: string,
  input: Json,
  status: Status = 'waiting',
  more: More = {},
): ToolCall {
  const { output, drawn, id = 'd1', error, requests = [] } = more;
  return callOf(
    sequence(
      agent,
      { ...start, toolCallId: id, toolName, title: toolName, status, input },
      {
        type: 'tool_call_update',
        messageId: 'm1',
        segment: 0,
        item: 0,
        toolCallId: id,
        ...(output === undefined ? {} : { output }),
        ...(drawn === undefined ? {} : { drawn }),
        ...(error === undefined ? {} : { error }),
      },
      ...requests.map((ids, i) => ({
        type: 'permission_request' as const,
        messageId: 'm1',
        segment: 0,
        item: 0,
        toolCallId: id,
        requestId: `ask_${i}`,
        options: ids.map((optionId) => ({ optionId, name: optionId, kind: 'allow_once' })),
      })),
    ),
  );
}

/** A display with partial input. */
export function written(toolName: string, ...fragments: string[]): ToolCall {
  return callOf(
    sequence(
      agent,
      { ...start, toolCallId: 'd1', toolName, title: toolName, status: 'pending' },
      ...fragments.map(
        (delta) =>
          ({
            type: 'tool_input_delta',
            messageId: 'm1',
            segment: 0,
            item: 0,
            toolCallId: 'd1',
            delta,
          }) as const,
      ),
    ),
  );
}

function callOf(events: ReturnType<typeof sequence>): ToolCall {
  const segment = applyEvents(emptyConversation, events).messages[0]?.segments[0];
  const item = segment?.type === 'tool-group' ? segment.items[0] : undefined;
  if (item?.type !== 'tool_call') throw new Error('no call');
  return item;
}

function Page({ calls, weft, session }: { calls: readonly ToolCall[]; weft: Weft; session: Session }) {
  useKeys();
  return (
    <WeftContext value={weft}>
      <ReadingContext
        value={{
          session,
          disclosures: new Disclosures(),
          thoughts: 'in-place',
          forks: new Map(),
          voices: null,
          style: unstyled,
          spot: noSpot,
          reveal: () => {},
          hold: () => {},
        }}
      >
        <input aria-label="composer" defaultValue="" />
        {calls.map((call, i) => (
          <ShownCall key={call.toolCallId} call={call} messageId="m1" segment={0} item={i} />
        ))}
      </ReadingContext>
    </WeftContext>
  );
}

/** Renders displays and returns a function that replaces them. */
export function draw(...calls: ToolCall[]): (...next: ToolCall[]) => void {
  sent.mockReset().mockResolvedValue(null);
  localStorage.clear();
  window.matchMedia = (() => ({ matches: false, addEventListener() {}, removeEventListener() {} })) as never;
  const transport = { kind: 'serve', call: sent } as unknown as Transport;
  const weft = new Weft(transport);
  const session = new Session(transport, 's1');
  const page = (those: readonly ToolCall[]) => <Page calls={those} weft={weft} session={session} />;
  const { rerender } = render(page(calls));
  return (...next) => rerender(page(next));
}

export const press = (key: string, target: Element = document.activeElement ?? document.body, more = {}) =>
  act(async () => void fireEvent.keyDown(target, { key, ...more }));

/** Advances past the time in which a display accepts no answer. Needs a fake clock. */
export const settled = () => act(async () => void vi.advanceTimersByTime(500));

/** The request that sends an answer. */
export function answerOf(answer: Json, toolCallId = 'd1') {
  return ['AnswerDisplay', { spaceId: 's1', messageId: 'm1', toolCallId, answer }] as const;
}
