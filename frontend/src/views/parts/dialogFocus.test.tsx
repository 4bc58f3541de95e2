import { Dialog } from '@base-ui/react/dialog';
import { render, screen, waitFor } from '@testing-library/react';
import { useEffect } from 'react';
import { expect, test } from 'vitest';
import { dialogWithoutFocus, keepFocusInDialogs } from './dialogFocus';

/** A page with a dialog that doesn't move the focus. */
function Page({ open }: { open: boolean }) {
  useEffect(keepFocusInDialogs, []);
  return (
    <>
      <main className="shell">
        <button type="button">Behind</button>
      </main>
      <Dialog.Root open={open}>
        <Dialog.Portal>
          <Dialog.Backdrop className="backdrop" />
          <Dialog.Popup initialFocus={false}>
            <Dialog.Title>Delete</Dialog.Title>
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
