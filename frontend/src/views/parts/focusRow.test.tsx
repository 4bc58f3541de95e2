import { afterEach, expect, test, vi } from 'vitest';
import { focusRow } from './focusRow';

const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));

function disabledButton(): HTMLButtonElement {
  const button = document.createElement('button');
  button.disabled = true;
  document.body.append(button);
  return button;
}

afterEach(() => document.body.replaceChildren());

test('focuses once the element can take the focus', async () => {
  const button = disabledButton();
  const focused = vi.fn();
  focusRow(() => button, focused);
  await frame();
  expect(focused).not.toHaveBeenCalled();
  button.disabled = false;
  await vi.waitFor(() => expect(focused).toHaveBeenCalledExactlyOnceWith(button));
  expect(button).toHaveFocus();
});

test('focuses nothing that is no longer wanted', async () => {
  const button = disabledButton();
  let wanted = true;
  const focused = vi.fn();
  const stop = focusRow(() => button, focused);
  focusRow(() => (wanted ? button : null), focused);
  stop();
  wanted = false;
  button.disabled = false;
  for (let i = 0; i < 3; i++) await frame();
  expect(focused).not.toHaveBeenCalled();
  expect(document.body).toHaveFocus();
});
