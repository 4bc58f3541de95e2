// @vitest-environment jsdom
import { afterEach, expect, it } from 'vitest';
import { sparesRestingPointer } from './restingPointer';

let end = () => {};
afterEach(() => end());

/** What a list hears of moves to places on the screen. */
function heard(...presses: readonly (readonly [number, number] | 'key' | 'down')[]): number {
  end = sparesRestingPointer(window);
  const list = document.createElement('div');
  document.body.append(list);
  let count = 0;
  list.addEventListener('pointermove', () => count++);
  for (const press of presses) {
    if (press === 'key') window.dispatchEvent(new KeyboardEvent('keydown', { key: 'k' }));
    else if (press === 'down')
      list.dispatchEvent(new MouseEvent('mousedown', { bubbles: true, screenX: 5, screenY: 5 }));
    else
      for (const type of ['pointermove', 'mousemove'])
        list.dispatchEvent(new MouseEvent(type, { bubbles: true, screenX: press[0], screenY: press[1] }));
  }
  list.remove();
  end();
  return count;
}

it('passes moves on, and none of a pointer that rests', () => {
  expect(heard([1, 1], [2, 1], [2, 2])).toBe(3);
  expect(heard([1, 1], 'key', [1, 1], [1, 1])).toBe(1);
  expect(heard([1, 1], 'key', [1, 1], [2, 1])).toBe(2);
});

it('takes the first move after a key for a pointer that rests: where it was is not known', () => {
  expect(heard('key', [1, 1])).toBe(0);
  expect(heard('key', [1, 1], [1, 2])).toBe(1);
  expect(heard('down', 'key', [5, 5])).toBe(0);
});
