import { act, fireEvent, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { describe, expect, it } from 'vitest';
import type { Json } from '../../transcript/types';
import { CommandError } from '../../transport/transport';
import { answerOf, display, draw, inputs, press, sent } from './displays.fixture';

const input = (name: string) => inputs[name] as { [key: string]: Json };
const button = (name: string | RegExp) => screen.getByRole('button', { name });
const answered = (answer: Json, more: { [key: string]: Json } = {}) => ({
  output: { answer, state: 'answered', by: 'person', at: 1_700_000_000_000, late: false, ...more } as Json,
});

describe('an approval', () => {
  it('is given by a click, with the comment', async () => {
    draw(display('showApprovalForm', input('showApprovalForm')));
    await userEvent.type(screen.getByLabelText('Comment'), ' Good. ');
    await userEvent.click(button(/Release/));
    expect(sent).toHaveBeenCalledExactlyOnceWith(...answerOf({ approved: true, comment: 'Good.' }));
  });

  it('is given and refused by a number, once', async () => {
    draw(display('showApprovalForm', { title: 'x' }));
    await press('2', document.body);
    await press('1', document.body);
    expect(sent).toHaveBeenCalledExactlyOnceWith(...answerOf({ approved: false }));
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
    const region = screen.getByRole('region', { name: 'Approval: Approve the budget' });
    expect(region).toHaveTextContent('Approved');
    expect(region).toHaveTextContent('Good.');
    expect(region).toHaveTextContent('Answered by you');
    expect(region.querySelector('time')).toHaveAttribute('datetime', '2023-11-14T22:13:20.000Z');
    expect(within(region).queryByRole('button', { name: /Release|Keep/ })).toBeNull();
    expect(within(region).getByRole('status')).toHaveTextContent('Answered');
  });
});

describe('a choice', () => {
  it('of one is answered by a key, a click, or in other words', async () => {
    draw(display('showChoice', input('showChoice')));
    await press('3', document.body);
    expect(sent).toHaveBeenLastCalledWith(...answerOf({ choice: 3 }));
    draw(display('showChoice', input('showChoice'), 'waiting', { id: 'd2' }));
    await userEvent.click(screen.getAllByRole('button', { name: /Pear/ }).at(-1) as HTMLElement);
    expect(sent).toHaveBeenLastCalledWith(...answerOf({ choice: 'p' }, 'd2'));
    draw(display('showChoice', input('showChoice'), 'waiting', { id: 'd3' }));
    await userEvent.type(screen.getAllByLabelText('Something else').at(-1) as HTMLElement, 'Plum{Enter}');
    expect(sent).toHaveBeenLastCalledWith(...answerOf({ other: 'Plum' }, 'd3'));
  });

  it('of several collects them', async () => {
    draw(display('showChoice', { ...input('showChoice'), multiple: true }));
    await press('1', document.body);
    await press('3', document.body);
    await press('1', document.body);
    expect(button(/Quince/)).toHaveAttribute('aria-pressed', 'true');
    await press('2', document.body);
    expect(sent).not.toHaveBeenCalled();
    await userEvent.click(button('Answer'));
    expect(sent).toHaveBeenCalledExactlyOnceWith(...answerOf({ choices: ['p', 3] }));
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
    expect(screen.getByText('Chosen:').parentElement).toHaveTextContent('Pear');
  });
});

describe('a form', () => {
  it('has the values of the agent, says what is wrong, and sends what was filled in', async () => {
    draw(display('showForm', input('showForm')));
    expect(screen.getByRole('textbox', { name: /Street/ })).toHaveValue('Elm Lane 4');
    expect(screen.getByRole('radio', { name: 'van' })).toBeChecked();
    const floor = screen.getByRole('textbox', { name: 'Floor' });
    await userEvent.clear(floor);
    await userEvent.type(floor, '-1');
    await userEvent.click(button('Deliver'));
    expect(sent).not.toHaveBeenCalled();
    expect(screen.getByText('At least 0.')).toBeInTheDocument();
    await userEvent.clear(floor);
    await userEvent.type(floor, '5');
    await userEvent.click(button('Deliver'));
    expect(sent).toHaveBeenCalledExactlyOnceWith(
      ...answerOf({ street: 'Elm Lane 4', floor: 5, how: 'van', gift: true }),
    );
  });

  it('shows what was filled in by its titles', () => {
    draw(display('showForm', input('showForm'), 'completed', answered({ street: 'Oak 1', gift: false })));
    expect(screen.getByRole('region')).toHaveTextContent('StreetOak 1A giftNo');
    expect(screen.queryByRole('textbox', { name: /Street/ })).toBeNull();
  });
});

it('a card is answered with its action', async () => {
  draw(display('showCard', input('showCard')));
  await userEvent.click(button(/Later/));
  expect(sent).toHaveBeenCalledExactlyOnceWith(...answerOf({ action: 'later' }));
});

it('a display of the person’s own takes words', async () => {
  draw(display('weighHarvest', input('weighHarvest')));
  expect(screen.getByRole('region')).toHaveTextContent('crates12');
  await userEvent.type(screen.getByLabelText('Your answer'), 'A lot');
  await userEvent.click(button('Answer'));
  expect(sent).toHaveBeenCalledExactlyOnceWith(...answerOf({ text: 'A lot' }));
});

describe('the answer', () => {
  it('that did not arrive can be given again', async () => {
    draw(display('showApprovalForm', { title: 'x' }));
    sent.mockRejectedValueOnce(new CommandError('expired', 'The time to answer this is over.'));
    await press('1', document.body);
    await press('1', document.body);
    expect(sent).toHaveBeenCalledTimes(2);
    await press('1', document.body);
    expect(sent).toHaveBeenCalledTimes(2);
  });

  it('goes to the display that has the focus, and to none from who types', async () => {
    draw(
      display('showApprovalForm', { title: 'one' }),
      display('showApprovalForm', { title: 'two' }, 'waiting', { id: 'd2' }),
    );
    screen.getByLabelText('composer').focus();
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
    await userEvent.click(button('More for Which fruit?'));
    fireEvent.click(await screen.findByRole('menuitem', { name: 'I will not answer this' }));
    expect(sent).toHaveBeenCalledExactlyOnceWith('AnswerDisplay', {
      spaceId: 's1',
      messageId: 'm1',
      toolCallId: 'd1',
      answer: null,
      cancel: true,
    });
  });

  it('that came late says so, and where it was asked from', () => {
    const more = { late: true, from: { spaceId: 's9', spaceName: 'Finance', agent: 'Robin' } };
    draw(display('showApprovalForm', { title: 'x' }, 'completed', answered({ approved: false }, more)));
    const region = screen.getByRole('region');
    expect(region).toHaveTextContent('Your answer went to it as its next prompt.');
    expect(region).toHaveTextContent('Asked by Robin in Finance');
  });
});

it('waiting for the answer is no permission; a permission for the display is asked first', async () => {
  const redraw = draw(
    display('showApprovalForm', { title: 'x' }, 'running', {
      requests: [['display:answer', 'display:cancel']],
    }),
  );
  expect(screen.queryByRole('region', { name: /^Permission/ })).toBeNull();
  expect(screen.getByRole('region')).toHaveTextContent('Needs your answer');
  await press('1', document.body);
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
    ['cancelled', { output: { answer: null, state: 'cancelled' } }, 'Cancelled'],
    ['cancelled', {}, 'Cancelled'],
    ['rejected', { output: { state: 'cancelled', by: 'person' } }, 'You chose not to answer'],
    ['failed', { error: 'The space is gone.' }, 'The space is gone.'],
  ] as const)('one that is %s (%o) says so', (status, more, words) => {
    draw(display('showApprovalForm', input('showApprovalForm'), status, more as never));
    expect(screen.getByRole('region')).toHaveTextContent(words);
    expect(screen.queryByRole('button', { name: /Release/ })).toBeNull();
  });
});
