// @vitest-environment jsdom
import { expect, it, vi } from 'vitest';
import { givesUndoKeys } from './undoKeys';

it('undoes and redoes in fields, on every keyboard, and nowhere else', () => {
  const done: string[] = [];
  document.execCommand = vi.fn((command: string) => done.push(command) > 0);
  const end = givesUndoKeys(window);
  document.body.innerHTML =
    '<textarea></textarea><button></button><div class="xterm"><textarea></textarea></div>';
  const [field, terminal] = document.querySelectorAll('textarea');
  const press = (target: Element | null | undefined, key: string, more: KeyboardEventInit = {}) => {
    const event = new KeyboardEvent('keydown', {
      key,
      ctrlKey: true,
      bubbles: true,
      cancelable: true,
      ...more,
    });
    target?.dispatchEvent(event);
    return event.defaultPrevented;
  };
  expect(press(field, 'z')).toBe(true);
  press(field, 'Z', { shiftKey: true });
  press(field, 'y');
  press(field, 'я', { code: 'KeyZ' });
  expect(done).toEqual(['undo', 'redo', 'redo', 'undo']);
  expect(press(field, 'z', { altKey: true })).toBe(false);
  expect(press(field, 'z', { ctrlKey: false })).toBe(false);
  press(document.querySelector('button'), 'z');
  press(terminal, 'z');
  expect(done).toHaveLength(4);
  end();
});
