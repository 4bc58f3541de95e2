import { Dialog } from '@base-ui/react/dialog';
import { Menu } from '@base-ui/react/menu';
import { render, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useEffect, useState } from 'react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { returnFocusOnClose } from './closingFocus';

beforeEach(() => {
  // The closing animation lasts for the whole test.
  const fades = [{ finished: new Promise(() => {}) }];
  Object.defineProperty(Element.prototype, 'getAnimations', { configurable: true, value: () => fades });
});
afterEach(() => {
  Reflect.deleteProperty(Element.prototype, 'getAnimations');
});

function Page({ onChosen = () => {} }: { onChosen?(): void }) {
  useEffect(returnFocusOnClose, []);
  const [open, setOpen] = useState(false);
  return (
    <>
      <input aria-label="Message" onKeyDown={(event) => event.key === 'Enter' && setOpen(true)} />
      <Dialog.Root open={open} onOpenChange={setOpen}>
        <Dialog.Portal>
          <Dialog.Popup>
            <Dialog.Title>Delete</Dialog.Title>
            <input aria-label="Name" />
            <Menu.Root>
              <Menu.Trigger>More</Menu.Trigger>
              <Menu.Portal>
                <Menu.Positioner>
                  <Menu.Popup>
                    <Menu.Item onClick={onChosen}>Choose</Menu.Item>
                  </Menu.Popup>
                </Menu.Positioner>
              </Menu.Portal>
            </Menu.Root>
          </Dialog.Popup>
        </Dialog.Portal>
      </Dialog.Root>
    </>
  );
}

test('a dialog and a menu that close leave the keys to what had the focus before', async () => {
  const onChosen = vi.fn();
  render(<Page onChosen={onChosen} />);
  const message = screen.getByLabelText('Message');
  message.focus();
  await userEvent.keyboard('{Enter}');
  await waitFor(() => expect(screen.getByLabelText('Name')).toHaveFocus());
  const more = screen.getByText('More');
  more.focus();
  await userEvent.keyboard('{Enter}');
  const item = await screen.findByText('Choose');
  await waitFor(() => expect(item).toHaveFocus());

  await userEvent.keyboard('{Enter}');
  expect(onChosen).toHaveBeenCalledOnce();
  expect(item).toBeInTheDocument();
  expect(more).toHaveFocus();

  await userEvent.keyboard('{Escape}');
  expect(screen.getByLabelText('Name')).toBeInTheDocument();
  expect(message).toHaveFocus();
  await userEvent.keyboard('pears');
  expect(message).toHaveValue('pears');
});

test('who has gone elsewhere meanwhile stays there', async () => {
  render(
    <>
      <Page />
      <input aria-label="Elsewhere" />
    </>,
  );
  screen.getByLabelText('Message').focus();
  await userEvent.keyboard('{Enter}');
  await waitFor(() => expect(screen.getByLabelText('Name')).toHaveFocus());
  await userEvent.keyboard('{Escape}');
  const elsewhere = screen.getByLabelText('Elsewhere');
  elsewhere.focus();
  await new Promise((next) => requestAnimationFrame(next));
  expect(elsewhere).toHaveFocus();
});

function Prompts() {
  useEffect(returnFocusOnClose, []);
  const [open, setOpen] = useState(false);
  return (
    <>
      <article
        tabIndex={-1}
        aria-label="Prompt"
        onKeyDown={(event) => event.key === 'Enter' && setOpen(true)}
      >
        <button type="button">Edit</button>
      </article>
      {open && (
        <Dialog.Root open onOpenChange={setOpen}>
          <Dialog.Portal>
            <Dialog.Popup>
              <input aria-label="Name" />
            </Dialog.Popup>
          </Dialog.Portal>
        </Dialog.Root>
      )}
    </>
  );
}

test('what is no stop of Tab has the focus again, and not what is in it', async () => {
  render(<Prompts />);
  const prompt = screen.getByLabelText('Prompt');
  prompt.focus();
  await userEvent.keyboard('{Enter}');
  await waitFor(() => expect(screen.getByLabelText('Name')).toHaveFocus());
  await userEvent.keyboard('{Escape}');
  await new Promise((next) => requestAnimationFrame(() => requestAnimationFrame(next)));
  expect(prompt).toHaveFocus();
  // Tab leads there.
  await userEvent.keyboard('{Tab}');
  expect(screen.getByText('Edit')).toHaveFocus();
});
