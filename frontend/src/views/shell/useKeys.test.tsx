import { fireEvent, render } from '@testing-library/react';
import { expect, it, vi } from 'vitest';
import { useActions } from '../../keyboard/actions';
import { useKeys } from './useKeys';

function Page({ run, closing }: { run(): void; closing: boolean }) {
  useKeys();
  useActions([{ id: 'palette', title: 'Show commands', section: 'General', keys: 'mod+k', run }]);
  return (
    <div
      role="dialog"
      aria-label="Commands"
      data-open={!closing || undefined}
      data-closed={closing || undefined}
    >
      <input aria-label="Command" />
    </div>
  );
}

const pressed = (closing: boolean) => {
  const run = vi.fn();
  const { getByLabelText, unmount } = render(<Page run={run} closing={closing} />);
  fireEvent.keyDown(getByLabelText('Command'), { key: 'k', ctrlKey: true });
  unmount();
  return run.mock.calls.length;
};

it('leaves the keys to a dialog, but not to one that fades', () => {
  expect(pressed(false)).toBe(0);
  expect(pressed(true)).toBe(1);
});

function List({ run, open }: { run(): void; open: boolean }) {
  useKeys();
  useActions([{ id: 'composer.focus', title: 'Write', section: 'General', keys: '/', run }]);
  return (
    <div data-base-ui-portal="">
      <div data-open={open || undefined} data-closed={!open || undefined}>
        <div role="listbox" aria-label="Model" tabIndex={-1} />
      </div>
    </div>
  );
}

it('leaves the keys to a list of choices that is open', () => {
  for (const open of [true, false]) {
    const run = vi.fn();
    const { getByRole, unmount } = render(<List run={run} open={open} />);
    fireEvent.keyDown(getByRole('listbox'), { key: '/' });
    expect(run).toHaveBeenCalledTimes(open ? 0 : 1);
    unmount();
  }
});

function Thread({ close }: { close(): void }) {
  useKeys();
  useActions([
    { id: 'find.close', title: 'Close', section: 'General', keys: 'Escape', keyOnly: true, run: close },
  ]);
  return (
    <>
      <div className="transcript-scroll">
        <input aria-label="Answer" />
        <div className="request-card">
          <button type="button">Allow</button>
        </div>
      </div>
      <textarea aria-label="Message" />
    </>
  );
}

it('ends a search by Escape wherever the focus is in the thread, and not from the message field', () => {
  const close = vi.fn();
  const { getByLabelText, getByRole } = render(<Thread close={close} />);
  fireEvent.keyDown(getByLabelText('Answer'), { key: 'Escape' });
  expect(close).toHaveBeenCalledTimes(1);
  fireEvent.keyDown(getByRole('button'), { key: 'Escape' });
  expect(close).toHaveBeenCalledTimes(2);
  fireEvent.keyDown(getByLabelText('Message'), { key: 'Escape' });
  expect(close).toHaveBeenCalledTimes(2);
});
