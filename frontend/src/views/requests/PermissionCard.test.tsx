import { act, fireEvent, render, screen, within } from '@testing-library/react';
import { useReducer } from 'react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Session } from '../../state/session';
import { Weft, WeftContext } from '../../state/weft';
import { agent, call, sequence } from '../../transcript/events.fixture';
import { applyEvents } from '../../transcript/fold';
import { emptyConversation, type ToolCall } from '../../transcript/model';
import { unstyled } from '../../transcript/style';
import { CommandError, type Transport } from '../../transport/transport';
import { noSpot } from '../find/spot';
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
    {
      type: 'permission_request',
      ...at,
      requestId: `p${n}`,
      options,
      ...(titled && { reading: { kind: 'execute', commands: [{ line: `make step-${n}` }], titled } }),
    },
    ...(again
      ? ([
          {
            type: 'permission_resolved',
            ...at,
            requestId: `p${n}`,
            outcome: 'selected',
            optionId: 'once',
            status: 'running',
          },
          { type: 'permission_request', ...at, requestId: `again${n}`, options },
        ] as const)
      : []),
  );
  const segment = applyEvents(emptyConversation, events).messages[0]?.segments[0];
  const item = segment?.type === 'tool-group' ? segment.items[0] : undefined;
  if (item?.type !== 'tool_call') throw new Error('no call');
  return item;
}

const answered = vi.fn<(command: string, request: unknown) => Promise<unknown>>();

let shown = [1, 2];
/** Each request was allowed, and its call asks a second time. */
let again = false;
/** The title of each call is Weft's. */
let titled = false;
let shownChanged = () => {};

function Two({ weft, session }: { weft: Weft; session: Session }) {
  useKeys();
  const [, render] = useReducer((n: number) => n + 1, 0);
  shownChanged = render;
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
        <input aria-label="elsewhere" defaultValue="typing" />
        <input aria-label="another" />
        <textarea aria-label="composer" className="composer-field" />
        {shown.map((n, i) => (
          <ToolRow
            key={`${n} ${shown.indexOf(n) === i ? '' : i}`}
            id={`t${n}`}
            call={waiting(n)}
            messageId="m1"
            segment={0}
            item={0}
          />
        ))}
      </ReadingContext>
    </WeftContext>
  );
}

beforeEach(async () => {
  vi.useFakeTimers();
  shown = [1, 2];
  again = false;
  titled = false;
  answered.mockReset().mockResolvedValue(null);
  window.matchMedia = (() => ({ matches: false, addEventListener() {}, removeEventListener() {} })) as never;
  const transport = { kind: 'serve', call: answered } as unknown as Transport;
  render(<Two weft={new Weft(transport)} session={new Session(transport, 's1')} />);
  await act(() => vi.advanceTimersByTimeAsync(60));
});
afterEach(() => vi.useRealTimers());

const card = (n: number) => screen.getByRole('region', { name: `Permission required: make step-${n}` });
/** A card is rendered once it has been measured, and accepts answers half a second later. */
const settled = async () => {
  for (let i = 0; i < 4; i++) await act(() => vi.advanceTimersByTimeAsync(60));
  await act(() => vi.advanceTimersByTimeAsync(600));
};
const press = (key: string, target: Element = document.activeElement ?? document.body, more = {}) =>
  act(async () => void fireEvent.keyDown(target, { key, ...more }));
const once = { spaceId: 's1', requestId: 'p1', optionId: 'once' };

it('begins anew with the next request of the same call', async () => {
  await settled();
  fireEvent.click(within(card(1)).getByRole('button', { name: 'Allow' }));
  await settled();
  expect(answered).toHaveBeenLastCalledWith('AnswerPermission', once);
  again = true;
  await act(async () => shownChanged());
  await settled();
  const allow = within(card(1)).getByRole('button', { name: 'Allow' });
  expect(allow.getAttribute('aria-disabled')).toBe('false');
  fireEvent.click(allow);
  await settled();
  expect(answered).toHaveBeenLastCalledWith('AnswerPermission', { ...once, requestId: 'again1' });
});

it("quotes the agent's title, and none of Weft's own", async () => {
  await settled();
  expect(card(1).textContent).toContain('says: Run 1');
  titled = true;
  await act(async () => shownChanged());
  await settled();
  expect(card(1).textContent).not.toMatch(/says:|Run 1/);
});

it('shows what will run before what the agent calls it, and one row of answers', () => {
  const text = card(1).textContent ?? '';
  expect(text.indexOf('make step-1')).toBeLessThan(text.indexOf('Run 1'));
  expect(text).not.toContain('Output');
  expect(
    within(card(1))
      .getAllByRole('button')
      .map((button) => button.getAttribute('aria-label') ?? button.textContent),
  ).toEqual(['Allow', 'More ways to allow', 'Reject', 'More ways to reject']);
  expect(screen.getAllByText('Needs your answer').length).toBeGreaterThan(0);
});

it('says that an answer came too early, in a line that was there before', async () => {
  const foot = card(1).querySelector('.request-foot');
  expect(foot).not.toBeNull();
  const says = () => within(card(1)).queryByText('This has just appeared or moved. Press again.');
  expect(says()).toBeNull();
  await act(async () => void fireEvent.click(within(card(1)).getByRole('button', { name: /^Allow/ })));
  expect(answered).not.toHaveBeenCalled();
  expect(says()?.getAttribute('role')).toBe('status');
  await settled();
  await act(async () => void fireEvent.click(within(card(1)).getByRole('button', { name: /^Allow/ })));
  expect(answered).toHaveBeenCalledWith('AnswerPermission', once);
});

it('takes no key from elsewhere, and none within half a second', async () => {
  await press('2', document.body);
  card(1).focus();
  await press('1');
  expect(answered).not.toHaveBeenCalled();
  await settled();
  await press('2', document.body);
  expect(answered).not.toHaveBeenCalled();
  await press('1', card(1), { repeat: true });
  expect(answered).not.toHaveBeenCalled();
  await press('1', card(1));
  expect(answered).toHaveBeenCalledExactlyOnceWith('AnswerPermission', once);
});

describe('the only request in view', () => {
  beforeEach(async () => {
    shown = [1];
    await act(async () => shownChanged());
    await settled();
  });

  it('is answered by a number where nothing is written', async () => {
    await press('9', document.body);
    await press('1', document.body, { repeat: true });
    expect(answered).not.toHaveBeenCalled();
    await press('1', document.body);
    expect(answered).toHaveBeenCalledExactlyOnceWith('AnswerPermission', once);
  });

  it('is answered by a number in an empty composer, and by Alt and a number beside text', async () => {
    const field = screen.getByLabelText('composer');
    expect(card(1)).toHaveTextContent('Allow1');
    fireEvent.change(field, { target: { value: 'and then' } });
    field.focus();
    fireEvent.input(field);
    await settled();
    expect(card(1)).toHaveTextContent('AllowAlt+1');
    await press('1', field);
    expect(answered).not.toHaveBeenCalled();
    await press('1', field, { altKey: true, code: 'Digit1' });
    expect(answered).toHaveBeenCalledExactlyOnceWith('AnswerPermission', once);
  });

  it('leaves a number alone that is none of its answers', async () => {
    const field = screen.getByLabelText('composer');
    field.focus();
    const event = new KeyboardEvent('keydown', { key: '9', bubbles: true, cancelable: true });
    field.dispatchEvent(event);
    expect(event.defaultPrevented).toBe(false);
  });
});

it('takes no click within half a second', async () => {
  const allow = within(card(1)).getByRole('button', { name: 'Allow' });
  fireEvent.click(allow);
  expect(answered).not.toHaveBeenCalled();
  await settled();
  await act(async () => void fireEvent.click(allow));
  expect(answered).toHaveBeenCalledExactlyOnceWith('AnswerPermission', once);
});

it('answers the request that has the focus', async () => {
  await settled();
  within(card(2)).getByRole('button', { name: 'Reject' }).focus();
  await press('1');
  expect(answered).toHaveBeenCalledExactlyOnceWith('AnswerPermission', { ...once, requestId: 'p2' });
});

describe('when a card that was answered by key is gone', () => {
  const gone = async (rest: number[]) => {
    shown = rest;
    await act(async () => shownChanged());
    await act(() => vi.advanceTimersByTimeAsync(60));
  };

  it('brings the focus to the next card', async () => {
    screen.getByLabelText('elsewhere').focus();
    card(1).focus();
    await settled();
    await press('1');
    await gone([2]);
    expect(card(2)).toHaveFocus();
    expect(answered).toHaveBeenCalledOnce();
  });

  it('brings it back to where the user was', async () => {
    await gone([1]);
    screen.getByLabelText('elsewhere').focus();
    card(1).focus();
    await settled();
    await press('1');
    await gone([]);
    expect(screen.getByLabelText('elsewhere')).toHaveFocus();
  });

  it('leaves it in a field that has it by then', async () => {
    card(1).focus();
    await settled();
    await press('1');
    screen.getByLabelText('another').focus();
    await gone([2]);
    expect(screen.getByLabelText('another')).toHaveFocus();
  });

  it('leaves it alone where nobody answered', async () => {
    card(1).focus();
    await settled();
    await gone([2]);
    expect(document.body).toHaveFocus();
  });
});

it('gives cards of the same request names of their own', async () => {
  shown = [1, 1];
  await act(async () => shownChanged());
  const names = screen.getAllByRole('region').map((region) => region.getAttribute('aria-label'));
  expect(names).toEqual(['Permission required: make step-1', 'Permission required: make step-1 (2)']);
});

it('leaves the keys to someone who types, and numbers without an option alone', async () => {
  await settled();
  screen.getByLabelText('elsewhere').focus();
  await press('1');
  await press('9', card(1));
  expect(answered).not.toHaveBeenCalled();
});

it('can be answered again when the answer did not arrive', async () => {
  await settled();
  card(1).focus();
  answered.mockRejectedValueOnce(new CommandError('offline', "Weft isn't responding."));
  await press('1');
  await press('1');
  expect(answered).toHaveBeenCalledTimes(2);
  await press('1');
  expect(answered).toHaveBeenCalledTimes(2);
});
