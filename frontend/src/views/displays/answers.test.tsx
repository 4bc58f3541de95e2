import { act, fireEvent, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Json } from '../../transcript/types';
import { CommandError } from '../../transport/transport';
import { answerOf, display, draw, inputs, press, sent, settled } from './displays.fixture';

// Only the clock of the guard is fake: no answer is accepted until a test advances it.
beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));
afterEach(() => void vi.useRealTimers());

const input = (name: string) => inputs[name] as { [key: string]: Json };
const button = (name: string | RegExp) => screen.getByRole('button', { name });
const region = (name?: string | RegExp) => screen.getByRole('region', name === undefined ? {} : { name });
/** Moves to a display, as Ctrl+Shift+J does. */
const goTo = (name?: string | RegExp) => act(() => region(name).focus());
const answered = (answer: Json, more: { [key: string]: Json } = {}) => ({
  output: { answer, state: 'answered', by: 'person', at: 1_700_000_000_000, late: false, ...more } as Json,
});

describe('an approval', () => {
  it('is given by a click, with the comment', async () => {
    draw(display('showApprovalForm', input('showApprovalForm')));
    await userEvent.type(screen.getByLabelText('Comment'), ' Good. ');
    await userEvent.click(button(/Release/));
    expect(sent).not.toHaveBeenCalled();
    await settled();
    await userEvent.click(button(/Release/));
    expect(sent).toHaveBeenCalledExactlyOnceWith(...answerOf({ approved: true, comment: 'Good.' }));
  });

  it('is given and refused by a number, once', async () => {
    draw(display('showApprovalForm', { title: 'x' }));
    await settled();
    goTo();
    await press('2');
    await press('1');
    expect(sent).toHaveBeenCalledExactlyOnceWith(...answerOf({ approved: false }));
  });

  it('takes no number without the focus, none at first, and none that is held down', async () => {
    draw(display('showApprovalForm', { title: 'x' }));
    goTo();
    await press('1');
    await act(async () => void vi.advanceTimersByTime(499));
    await press('1');
    await act(async () => void vi.advanceTimersByTime(1));
    expect(sent).not.toHaveBeenCalled();
    await press('1', document.body);
    act(() => screen.getByLabelText('composer').focus());
    await press('2');
    goTo();
    await press('1', region(), { repeat: true });
    await press('3');
    expect(sent).not.toHaveBeenCalled();
    await press('1');
    expect(sent).toHaveBeenCalledExactlyOnceWith(...answerOf({ approved: true }));
  });

  it('waits anew when it has moved', async () => {
    draw(display('showApprovalForm', { title: 'x' }));
    await settled();
    // Its position is known after a frame.
    await vi.waitFor(() => expect(region().dataset['armed']).toBe('true'));
    goTo();
    const place = vi.spyOn(region(), 'getBoundingClientRect');
    place.mockReturnValue(new DOMRect(0, 60, 100, 100));
    await press('1');
    await userEvent.click(button(/Approve/));
    expect(sent).not.toHaveBeenCalled();
    await settled();
    await press('1');
    expect(sent).toHaveBeenCalledExactlyOnceWith(...answerOf({ approved: true }));
  });

  it('shows what was answered and when, and cannot be answered again', () => {
    const redraw = draw(display('showApprovalForm', input('showApprovalForm')));
    redraw(
      display(
        'showApprovalForm',
        input('showApprovalForm'),
        'completed',
        answered({ approved: true, comment: 'Good.' }),
      ),
    );
    const approval = region('Approval: Approve the budget');
    expect(approval).toHaveTextContent('Approved');
    expect(approval).toHaveTextContent('Good.');
    expect(approval).toHaveTextContent('Answered by you');
    expect(approval.querySelector('time')).toHaveAttribute('datetime', '2023-11-14T22:13:20.000Z');
    expect(within(approval).queryByRole('button', { name: /Release|Keep/ })).toBeNull();
    expect(within(approval).getByRole('status')).toHaveTextContent('Answered');
  });
});

describe('a choice', () => {
  it('of one is answered by a key, a click, or in other words', async () => {
    draw(display('showChoice', input('showChoice')));
    await settled();
    await press('3', document.body);
    expect(sent).not.toHaveBeenCalled();
    goTo();
    await press('3');
    expect(sent).toHaveBeenCalledExactlyOnceWith(...answerOf({ choice: 3 }));
    draw(display('showChoice', input('showChoice'), 'waiting', { id: 'd2' }));
    const pear = screen.getAllByRole('button', { name: /Pear/ }).at(-1) as HTMLElement;
    await userEvent.click(pear);
    expect(sent).not.toHaveBeenCalled();
    await settled();
    await userEvent.click(pear);
    expect(sent).toHaveBeenCalledExactlyOnceWith(...answerOf({ choice: 'p' }, 'd2'));
    draw(display('showChoice', input('showChoice'), 'waiting', { id: 'd3' }));
    const other = screen.getAllByLabelText('Other').at(-1) as HTMLElement;
    await userEvent.type(other, 'Plum 1{Enter}');
    expect(sent).not.toHaveBeenCalled();
    expect(other).toHaveValue('Plum 1');
    await settled();
    await userEvent.type(other, '{Enter}');
    expect(sent).toHaveBeenCalledExactlyOnceWith(...answerOf({ other: 'Plum 1' }, 'd3'));
  });

  it('of several collects them', async () => {
    draw(display('showChoice', { ...input('showChoice'), multiple: true }));
    await settled();
    await press('2', document.body);
    expect(button(/Pear/)).toHaveAttribute('aria-pressed', 'false');
    goTo();
    await press('1');
    await press('3');
    await press('1');
    expect(button(/Apple/)).toHaveAttribute('aria-pressed', 'false');
    expect(button(/Quince/)).toHaveAttribute('aria-pressed', 'true');
    await press('2');
    expect(sent).not.toHaveBeenCalled();
    await userEvent.click(button('Answer'));
    expect(sent).toHaveBeenCalledExactlyOnceWith(...answerOf({ choices: ['p', 3] }));
  });

  it('of several has them after a look elsewhere, until it is answered', async () => {
    const choice = display('showChoice', { ...input('showChoice'), multiple: true });
    const redraw = draw(choice);
    await settled();
    goTo();
    await press('3');
    redraw();
    redraw(choice);
    expect(button(/Quince/)).toHaveAttribute('aria-pressed', 'true');
    await settled();
    await userEvent.click(button('Answer'));
    expect(sent).toHaveBeenCalledExactlyOnceWith(...answerOf({ choices: [3] }));
    redraw();
    redraw(choice);
    expect(button(/Quince/)).toHaveAttribute('aria-pressed', 'false');
  });

  it('is walked through with arrows', async () => {
    draw(display('showChoice', input('showChoice')));
    act(() => button(/Apple/).focus());
    await press('ArrowDown');
    expect(button(/Pear/)).toHaveFocus();
    await press('End');
    expect(button(/Quince/)).toHaveFocus();
    await press('ArrowUp');
    expect(button(/Pear/)).toHaveFocus();
  });

  it('marks what was chosen', () => {
    draw(display('showChoice', input('showChoice'), 'completed', answered({ choice: 'p' })));
    expect(screen.getByText('Selected:').parentElement).toHaveTextContent('Pear');
  });
});

describe('a form', () => {
  it('has the values of the agent, says what is wrong, and sends what was filled in', async () => {
    draw(display('showForm', input('showForm')));
    expect(screen.getByRole('textbox', { name: /Street/ })).toHaveValue('Elm Lane 4');
    expect(screen.getByRole('radio', { name: 'van' })).toBeChecked();
    const floor = screen.getByRole('textbox', { name: 'Floor' });
    await userEvent.click(button('Deliver'));
    expect(sent).not.toHaveBeenCalled();
    await settled();
    await userEvent.clear(floor);
    await userEvent.type(floor, '-1');
    await userEvent.click(button('Deliver'));
    expect(sent).not.toHaveBeenCalled();
    expect(screen.getByText('Enter 0 or more.')).toBeInTheDocument();
    await userEvent.clear(floor);
    await userEvent.type(floor, '5');
    await userEvent.click(button('Deliver'));
    expect(sent).toHaveBeenCalledExactlyOnceWith(
      ...answerOf({ street: 'Elm Lane 4', floor: 5, how: 'van', gift: true }),
    );
  });

  it('shows what was filled in by its titles', () => {
    draw(display('showForm', input('showForm'), 'completed', answered({ street: 'Oak 1', gift: false })));
    expect(region()).toHaveTextContent('StreetOak 1A giftNo');
    expect(screen.queryByRole('textbox', { name: /Street/ })).toBeNull();
  });
});

it('a card is answered with its action', async () => {
  draw(display('showCard', input('showCard')));
  await userEvent.click(button(/Later/));
  await settled();
  await press('2', document.body);
  expect(sent).not.toHaveBeenCalled();
  await userEvent.click(button(/Later/));
  expect(sent).toHaveBeenCalledExactlyOnceWith(...answerOf({ action: 'later' }));
});

it('a display of the user’s own takes words', async () => {
  draw(display('weighHarvest', input('weighHarvest')));
  expect(region()).toHaveTextContent('crates12');
  await userEvent.type(screen.getByLabelText('Your answer'), 'A lot');
  await userEvent.click(button('Answer'));
  expect(sent).not.toHaveBeenCalled();
  await settled();
  await userEvent.click(button('Answer'));
  expect(sent).toHaveBeenCalledExactlyOnceWith(...answerOf({ text: 'A lot' }));
});

describe('the answer', () => {
  it('that did not arrive can be given again', async () => {
    draw(display('showApprovalForm', { title: 'x' }));
    sent.mockRejectedValueOnce(new CommandError('expired', 'Timed out.'));
    await settled();
    goTo();
    await press('1');
    await press('1');
    expect(sent).toHaveBeenCalledTimes(2);
    await press('1');
    expect(sent).toHaveBeenCalledTimes(2);
  });

  it('goes to the display that has the focus, and to none from who types', async () => {
    draw(
      display('showApprovalForm', { title: 'one' }),
      display('showApprovalForm', { title: 'two' }, 'waiting', { id: 'd2' }),
    );
    await settled();
    act(() => screen.getByLabelText('composer').focus());
    await press('1');
    expect(sent).not.toHaveBeenCalled();
    within(screen.getByRole('region', { name: 'Approval: two' }))
      .getByRole('button', { name: /Reject/ })
      .focus();
    await press('1');
    expect(sent).toHaveBeenCalledExactlyOnceWith(...answerOf({ approved: true }, 'd2'));
  });

  it('is not waited for with the focus of the composer', () => {
    const redraw = draw();
    screen.getByLabelText('composer').focus();
    redraw(display('showChoice', input('showChoice')));
    expect(screen.getByLabelText('composer')).toHaveFocus();
  });

  it('can be refused altogether', async () => {
    draw(display('showChoice', input('showChoice')));
    await userEvent.click(button('Actions for Which fruit?'));
    fireEvent.click(await screen.findByRole('menuitem', { name: "Don't answer" }));
    expect(sent).not.toHaveBeenCalled();
    await settled();
    await userEvent.click(button('Actions for Which fruit?'));
    fireEvent.click(await screen.findByRole('menuitem', { name: "Don't answer" }));
    expect(sent).toHaveBeenCalledExactlyOnceWith('AnswerDisplay', {
      spaceId: 's1',
      messageId: 'm1',
      toolCallId: 'd1',
      answer: null,
      cancel: true,
    });
  });

  it('that came late says so, and where it was asked from', () => {
    const drawn = { from: { spaceId: 's9', spaceName: 'Finance', agent: 'Robin', messageId: 'm9' } };
    draw(
      display('showApprovalForm', { title: 'x' }, 'completed', {
        ...answered({ approved: false }, { late: true }),
        drawn,
      }),
    );
    expect(region()).toHaveTextContent('your answer was sent as its next prompt.');
    expect(region()).toHaveTextContent('Asked by Robin in Finance');
  });

  it.each([{ late: true }, { wait: 'none' }])('that the agent was not told says so: %j', (how) => {
    draw(
      display('showCard', { title: 'x' }, 'completed', answered({ action: 'a' }, { ...how, unsent: true })),
    );
    expect(region()).toHaveTextContent("it couldn't be sent to the agent");
    expect(region()).not.toHaveTextContent('was sent');
  });
});

it('waiting for the answer is no permission; a permission for the display is asked first', async () => {
  const redraw = draw(
    display('showApprovalForm', { title: 'x' }, 'running', {
      requests: [['display:answer', 'display:cancel']],
    }),
  );
  expect(screen.queryByRole('region', { name: /^Permission/ })).toBeNull();
  expect(region()).toHaveTextContent('Needs your answer');
  await settled();
  await press('1', document.body);
  expect(sent).not.toHaveBeenCalled();
  goTo();
  await press('1');
  expect(sent).toHaveBeenCalledExactlyOnceWith(...answerOf({ approved: true }));
  redraw(display('showApprovalForm', { title: 'y' }, 'running', { requests: [['once', 'no']], id: 'd2' }));
  expect(screen.getByRole('region', { name: /^Permission/ })).toBeInTheDocument();
  expect(screen.queryByRole('button', { name: /Approve/ })).toBeNull();
});

describe('without an answer', () => {
  it('a choice looks as if nothing of it could be chosen', () => {
    const over = { output: { answer: null, state: 'cancelled' } };
    draw(display('showChoice', input('showChoice'), 'cancelled', over as never));
    const lines = screen.getAllByRole('listitem').map(({ firstElementChild }) => firstElementChild);
    expect(lines.length).toBeGreaterThan(0);
    for (const line of lines) expect(line).toHaveAttribute('data-passed', 'true');
  });

  it.each([
    ['completed', { output: { answer: null, state: 'expired' } }, 'Expired'],
    ['failed', { output: { answer: null, state: 'expired' } }, 'Expired'],
    ['cancelled', { output: { answer: null, state: 'cancelled' } }, 'Canceled'],
    ['cancelled', {}, 'Canceled'],
    ['rejected', { output: { state: 'cancelled', by: 'person' } }, 'You declined to answer'],
    ['failed', { error: 'The space is gone.' }, 'The space is gone.'],
  ] as const)('one that is %s (%o) says so', (status, more, words) => {
    draw(display('showApprovalForm', input('showApprovalForm'), status, more as never));
    expect(region()).toHaveTextContent(words);
    expect(screen.queryByRole('button', { name: /Release/ })).toBeNull();
  });
});
