import { render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it, vi } from 'vitest';
import { FormDialog } from './FormDialog';

function draw() {
  const onClose = vi.fn();
  render(
    <FormDialog title="Add a tree" onClose={onClose}>
      <input aria-label="Kind" />
    </FormDialog>,
  );
  return onClose;
}

const beside = () => userEvent.click(document.querySelector('.backdrop') ?? document.body);

it('is closed by a click beside it while nothing was filled in', async () => {
  const onClose = draw();
  await beside();
  expect(onClose).toHaveBeenCalledOnce();
});

it('keeps what was filled in from a click beside it', async () => {
  const onClose = draw();
  await userEvent.type(screen.getByLabelText('Kind'), 'Pear');
  await beside();
  expect(onClose).not.toHaveBeenCalled();
  expect(screen.getByLabelText('Kind')).toHaveValue('Pear');
  await userEvent.keyboard('{Escape}');
  expect(onClose).toHaveBeenCalledOnce();
});
