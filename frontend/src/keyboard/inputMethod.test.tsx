import { fireEvent, render, screen } from '@testing-library/react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { guardInputMethod } from './inputMethod';

let undo = () => {};
beforeEach(() => {
  undo = guardInputMethod(window);
});
afterEach(() => undo());

const press = vi.fn();

it.each([
  ['of the input method', { isComposing: true, keyCode: 229 }, 0],
  ['that ends a composition in WebKit', { isComposing: false, keyCode: 229 }, 0],
  ['after a composition', { isComposing: false, keyCode: 13 }, 1],
])('Enter %s', (_, init, times) => {
  press.mockClear();
  render(<textarea onKeyDown={press} />);
  const taken = fireEvent.keyDown(screen.getByRole('textbox'), { key: 'Enter', ...init });
  expect(press).toHaveBeenCalledTimes(times);
  expect(taken, 'the default is left to the browser').toBe(true);
});

it('leaves a terminal its keys', () => {
  press.mockClear();
  render(
    <div className="xterm">
      <textarea onKeyDown={press} />
    </div>,
  );
  fireEvent.keyDown(screen.getByRole('textbox'), { key: 'Process', isComposing: true, keyCode: 229 });
  expect(press).toHaveBeenCalledTimes(1);
});
