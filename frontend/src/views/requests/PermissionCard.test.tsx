import { act, fireEvent, render, screen, within } from '@testing-library/react';
import { beforeEach, expect, it, vi } from 'vitest';
import { Session } from '../../state/session';
import { Weft, WeftContext } from '../../state/weft';
import { agent, call, sequence } from '../../transcript/events.fixture';
import { applyEvents } from '../../transcript/fold';
import { emptyConversation, type ToolCall } from '../../transcript/model';
import { CommandError, type Transport } from '../../transport/transport';
import { useKeys } from '../shell/useKeys';
import { ToolRow } from '../tools/ToolRow';
import { Disclosures } from '../transcript/disclosure';
import { ReadingContext } from '../transcript/reading';

const options = [
  { optionId: 'once', name: 'Allow once', kind: 'allow_once' },
  { optionId: 'no', name: 'Reject', kind: 'reject_once' },
];

function waiting(n: number): ToolCall {
  const at = { messageId: 'm1', segment: 0, item: 0, toolCallId: 'c0.0' };
  const events = sequence(
    agent,
    { ...call(0, 0, { kind: 'execute', title: `Run ${n}` }), input: { command: `make step-${n}` } },
    { type: 'permission_request', ...at, requestId: `p${n}`, options },
  );
  const segment = applyEvents(emptyConversation, events).messages[0]?.segments[0];
  const item = segment?.type === 'tool-group' ? segment.items[0] : undefined;
  if (item?.type !== 'tool_call') throw new Error('no call');
  return item;
}

const answered = vi.fn<(command: string, request: unknown) => Promise<unknown>>();

function Two({ weft, session }: { weft: Weft; session: Session }) {
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
          hold: () => {},
        }}
      >
        <input aria-label="elsewhere" defaultValue="typing" />
        {[1, 2].map((n) => (
          <ToolRow key={n} id={`t${n}`} call={waiting(n)} messageId="m1" segment={0} item={0} />
        ))}
      </ReadingContext>
    </WeftContext>
  );
}

beforeEach(() => {
  answered.mockReset().mockResolvedValue(null);
  window.matchMedia = (() => ({ matches: false, addEventListener() {}, removeEventListener() {} })) as never;
  const transport = { kind: 'serve', call: answered } as unknown as Transport;
  render(<Two weft={new Weft(transport)} session={new Session(transport, 's1')} />);
});

const card = (n: number) => screen.getByRole('region', { name: `Permission for Run ${n}` });
const press = (key: string, target: Element = document.activeElement ?? document.body) =>
  act(async () => void fireEvent.keyDown(target, { key }));

it('shows what will happen, and the options of the agent', () => {
  expect(card(1)).toHaveTextContent('make step-1');
  expect(
    within(card(1))
      .getAllByRole('button')
      .map((button) => button.textContent),
  ).toEqual(['1Allow once', '2Reject', 'Allow always…A', 'Refuse always…R']);
  expect(screen.getAllByText('Waits for you').length).toBeGreaterThan(0);
});

it('answers the first question by a number', async () => {
  await press('2', document.body);
  expect(answered).toHaveBeenCalledExactlyOnceWith('AnswerPermission', {
    spaceId: 's1',
    requestId: 'p1',
    optionId: 'no',
  });
});

it('answers the question that has the focus', async () => {
  within(card(2))
    .getByRole('button', { name: /Reject/ })
    .focus();
  await press('1');
  expect(answered).toHaveBeenCalledExactlyOnceWith('AnswerPermission', {
    spaceId: 's1',
    requestId: 'p2',
    optionId: 'once',
  });
});

it('leaves the keys to someone who types, and numbers without an option alone', async () => {
  screen.getByLabelText('elsewhere').focus();
  await press('1');
  await press('9', document.body);
  expect(answered).not.toHaveBeenCalled();
});

it('can be answered again when the answer did not arrive', async () => {
  answered.mockRejectedValueOnce(new CommandError('offline', 'Weft does not answer.'));
  await press('1', document.body);
  await press('1', document.body);
  expect(answered).toHaveBeenCalledTimes(2);
  await press('1', document.body);
  expect(answered).toHaveBeenCalledTimes(2);
});
