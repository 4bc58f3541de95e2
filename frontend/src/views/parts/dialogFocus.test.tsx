import { Dialog } from '@base-ui/react/dialog';
import { fireEvent, render, screen, waitFor } from '@testing-library/react';
import { useEffect } from 'react';
import { expect, test, vi } from 'vitest';
import { dialogWithoutFocus, keepFocusInDialogs } from './dialogFocus';

/** A page with a dialog that doesn't move the focus. */
function Page({
  open,
  onKey,
  onClose,
  field,
}: {
  open: boolean;
  onKey?: (key: string) => void;
  onClose?: () => void;
  field?: boolean;
}) {
  useEffect(keepFocusInDialogs, []);
  return (
    <>
      <main className="shell" onKeyDown={(event) => onKey?.(event.key)}>
        <button type="button">Behind</button>
      </main>
      <Dialog.Root open={open} onOpenChange={(next) => !next && onClose?.()}>
        <Dialog.Portal>
          <Dialog.Backdrop className="backdrop" />
          <Dialog.Popup initialFocus={false}>
            <Dialog.Title>Delete</Dialog.Title>
            {field === true && <input aria-label="Name" />}
            <button type="button">Cancel</button>
          </Dialog.Popup>
        </Dialog.Portal>
      </Dialog.Root>
    </>
  );
}

const behind = () => screen.getByText('Behind');

test('a dialog that opens without taking the focus gets it', async () => {
  const { rerender } = render(<Page open={false} />);
  behind().focus();
  rerender(<Page open />);
  await screen.findByRole('dialog');
  expect(dialogWithoutFocus()).not.toBeNull();
  await waitFor(() => expect(screen.getByText('Cancel')).toHaveFocus());
  expect(dialogWithoutFocus()).toBeNull();
});

test('a dialog gets the focus back from what is behind it', async () => {
  render(<Page open />);
  await waitFor(() => expect(screen.getByText('Cancel')).toHaveFocus());
  behind().focus();
  await waitFor(() => expect(screen.getByText('Cancel')).toHaveFocus());
});

test('without a dialog the page has its keys', () => {
  render(<Page open={false} />);
  behind().focus();
  expect(dialogWithoutFocus()).toBeNull();
  expect(behind()).toHaveFocus();
});

test('a key that is pressed before a dialog has the focus is for the dialog', () => {
  const behindGets = vi.fn();
  const closes = vi.fn();
  const { rerender } = render(<Page open={false} onKey={behindGets} onClose={closes} />);
  behind().focus();
  rerender(<Page open onKey={behindGets} onClose={closes} />);
  expect(behind()).toHaveFocus();
  const cancels = vi.fn();
  screen.getByText('Cancel').addEventListener('keydown', cancels);
  expect(fireEvent.keyDown(behind(), { key: 'Enter' })).toBe(false);
  expect(closes).not.toHaveBeenCalled();
  fireEvent.keyDown(behind(), { key: 'Escape' });
  expect(closes).toHaveBeenCalledOnce();
  expect(behindGets).not.toHaveBeenCalled();
  expect(cancels).not.toHaveBeenCalled();
});

test('what is typed before a dialog has the focus goes into its field', () => {
  const behindGets = vi.fn();
  const { rerender } = render(<Page open={false} field onKey={behindGets} />);
  behind().focus();
  rerender(<Page open field onKey={behindGets} />);
  expect(behind()).toHaveFocus();
  expect(fireEvent.keyDown(behind(), { key: 'a' })).toBe(true);
  expect(screen.getByLabelText('Name')).toHaveFocus();
  expect(behindGets).not.toHaveBeenCalled();
});
