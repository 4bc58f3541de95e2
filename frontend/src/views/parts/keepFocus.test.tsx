import { render, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useEffect, useState } from 'react';
import { describe, expect, test, vi } from 'vitest';
import { releaseFocus } from './focusInView';
import { inactiveWhile } from './inactiveWhile';
import { keepFocus } from './keepFocus';
import { focusFirst, returnFocus } from './returnFocus';

const frames = async (n: number) => {
  for (let i = 0; i < n; i++) await new Promise((next) => requestAnimationFrame(next));
};

/** Two notices above a button; their buttons act after a delay, as after a response of the backend. */
function Notes({ off = false }: { off?: boolean }) {
  useEffect(keepFocus, []);
  const [notes, setNotes] = useState(['One', 'Two']);
  const [disabled, setDisabled] = useState('');
  return (
    <main>
      {notes.map((note) => (
        <section key={note} aria-label={note}>
          <button
            type="button"
            disabled={disabled === note}
            onClick={() =>
              setTimeout(() => (off ? setDisabled(note) : setNotes(notes.filter((one) => one !== note))))
            }
          >
            Dismiss {note}
          </button>
        </section>
      ))}
      <button type="button">Last</button>
    </main>
  );
}

const button = (name: string) => screen.getByRole('button', { name });

describe('the focus', () => {
  test('goes to what comes next when what had it is removed', async () => {
    render(<Notes />);
    button('Dismiss One').focus();
    await userEvent.keyboard('{Enter}');
    await waitFor(() => expect(button('Dismiss Two')).toHaveFocus());
    await userEvent.keyboard('{Enter}');
    await waitFor(() => expect(button('Last')).toHaveFocus());
  });

  test('goes to what comes next when what had it is disabled', async () => {
    render(<Notes off />);
    button('Dismiss One').focus();
    await userEvent.keyboard('{Enter}');
    await waitFor(() => expect(button('Dismiss Two')).toHaveFocus());
  });

  test('stays nowhere for those who use a mouse', async () => {
    render(<Notes />);
    await userEvent.click(button('Dismiss One'));
    await waitFor(() => expect(screen.queryByRole('button', { name: 'Dismiss One' })).toBeNull());
    await frames(6);
    expect(document.body).toHaveFocus();
  });

  test('goes back to what had it before when a toast goes', async () => {
    const page = (toast: boolean) => (
      <>
        <Notes />
        <section aria-label="Notifications" tabIndex={-1}>
          {toast && (
            <ol data-sonner-toaster="true">
              <li>
                <button type="button">Undo</button>
              </li>
            </ol>
          )}
        </section>
      </>
    );
    const { rerender } = render(page(true));
    button('Dismiss Two').focus();
    await userEvent.keyboard('{Shift}{Control}a');
    button('Undo').focus();
    rerender(page(false));
    await waitFor(() => expect(button('Dismiss Two')).toHaveFocus());
  });

  test('stays with what loses it and is still there, unless Tab leads out of the page', async () => {
    render(<Notes />);
    button('Last').focus();
    await userEvent.keyboard('{F3}');
    button('Last').blur();
    await waitFor(() => expect(button('Last')).toHaveFocus());
    const section = button('Last').parentElement;
    section?.prepend(button('Last'));
    await waitFor(() => expect(button('Last')).toHaveFocus());
    document.dispatchEvent(new KeyboardEvent('keydown', { key: 'Tab', bubbles: true }));
    button('Last').blur();
    await frames(8);
    expect(document.body).toHaveFocus();
  });

  test('is left to who knows a better place', async () => {
    render(<Notes />);
    button('Dismiss One').focus();
    await userEvent.keyboard('{Enter}');
    await waitFor(() => expect(screen.queryByRole('button', { name: 'Dismiss One' })).toBeNull());
    returnFocus(() => button('Last'));
    await frames(6);
    expect(button('Last')).toHaveFocus();
  });

  test('is not returned to the body, which seems to take it', async () => {
    render(
      <main>
        <button type="button">First</button>
      </main>,
    );
    returnFocus(() => document.body);
    await frames(2);
    expect(button('First')).toHaveFocus();
  });
});

test('a button that rests keeps the focus, and does and sends nothing', async () => {
  const [clicked, sent] = [vi.fn(), vi.fn((event: React.FormEvent) => event.preventDefault())];
  const form = (rests: boolean) => (
    <form onSubmit={sent}>
      <input aria-label="Name" />
      <button type="submit" {...inactiveWhile(rests)} onClick={clicked}>
        Save
      </button>
    </form>
  );
  const { rerender } = render(form(false));
  button('Save').focus();
  rerender(form(true));
  expect(button('Save')).toHaveFocus();
  expect(button('Save')).toHaveAttribute('aria-disabled', 'true');
  await userEvent.keyboard('{Enter}');
  await userEvent.type(screen.getByRole('textbox'), 'x{Enter}');
  expect(clicked).not.toHaveBeenCalled();
  expect(sent).not.toHaveBeenCalled();
  rerender(form(false));
  await userEvent.keyboard('{Enter}');
  expect(sent).toHaveBeenCalledOnce();
});

test('the conversation gets the focus where the user has gone away from what had it', async () => {
  const page = (rows: string[]) => (
    <>
      <Notes />
      <div role="log" aria-label="Conversation" tabIndex={-1}>
        {rows.map((row) => (
          <button key={row} type="button">
            {row}
          </button>
        ))}
      </div>
    </>
  );
  for (const leaves of [false, true]) {
    const { rerender, unmount } = render(page(['Read 1', 'Read 2']));
    button('Read 1').focus();
    await userEvent.keyboard('x');
    if (leaves) releaseFocus();
    rerender(page(['Read 2']));
    const next = leaves ? screen.getByRole('log') : button('Read 2');
    await waitFor(() => expect(next).toHaveFocus());
    unmount();
  }
});

test('where nothing else is there, the focus goes to the first button that is drawn', () => {
  render(
    <main>
      <button type="button" hidden>
        Show the sidebar
      </button>
      <button type="button" disabled>
        Changes
      </button>
      <button type="button">Try again</button>
    </main>,
  );
  expect(focusFirst()).toBe(true);
  expect(button('Try again')).toHaveFocus();
});
