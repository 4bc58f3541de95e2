// @vitest-environment jsdom
import { expect, it, vi } from 'vitest';
import { addUndoKeys } from './undoKeys';

it('undoes and redoes in fields, on every keyboard, and nowhere else', () => {
  const done: string[] = [];
  document.execCommand = vi.fn((command: string) => done.push(command) > 0);
  let end = addUndoKeys(window, true);
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
  // A browser would undo in the field.
  expect(press(document.querySelector('button'), 'z')).toBe(true);
  expect(press(terminal, 'z')).toBe(false);
  expect(done).toHaveLength(4);
  end();

  end = addUndoKeys(window, false);
  expect(press(field, 'z')).toBe(false);
  expect(press(document.querySelector('button'), 'y')).toBe(true);
  expect(press(document.querySelector('button'), 'a')).toBe(false);
  expect(done).toHaveLength(4);
  end();
});
