// @vitest-environment jsdom
import { afterEach, expect, it } from 'vitest';
import { ignoreRestingPointer } from './restingPointer';

let end = () => {};
afterEach(() => end());

/** A position in the page, and how far the window is from the screen's edge. */
type Position = readonly [x: number, y: number, window?: number];

const at = ([x, y, window = 0]: Position) => ({
  ...{ bubbles: true, clientX: x, clientY: y },
  ...{ screenX: x + window, screenY: y + window },
});

/** The moves that a list receives for pointer moves. */
function heard(...presses: readonly (Position | 'key' | 'down')[]): number {
  end = ignoreRestingPointer(window);
  const list = document.createElement('div');
  document.body.append(list);
  let count = 0;
  list.addEventListener('pointermove', () => count++);
  for (const press of presses) {
    if (press === 'key') window.dispatchEvent(new KeyboardEvent('keydown', { key: 'k' }));
    else if (press === 'down') list.dispatchEvent(new MouseEvent('mousedown', at([5, 5])));
    else for (const type of ['pointermove', 'mousemove']) list.dispatchEvent(new MouseEvent(type, at(press)));
  }
  list.remove();
  end();
  return count;
}

it('passes moves on, and none of a pointer that rests', () => {
  expect(heard([1, 1], [2, 1], [2, 2])).toBe(2);
  expect(heard([1, 1], 'key', [1, 1], [1, 1])).toBe(0);
  expect(heard([1, 1], 'key', [1, 1], [2, 1])).toBe(1);
});

it('takes neither a window that moves for a pointer that does, nor one whose place on the screen is learned late', () => {
  expect(heard([1, 1], [3, 3, -2])).toBe(0);
  expect(heard([1, 1], 'key', [1, 1, 22], [1, 1, 22])).toBe(0);
  expect(heard([1, 1], 'key', [1, 1, 22], [2, 1, 22])).toBe(1);
});

it('takes the first move for a pointer that rests: where it was is not known', () => {
  expect(heard([1, 1])).toBe(0);
  expect(heard('key', [1, 1])).toBe(0);
  expect(heard('key', [1, 1], [1, 2])).toBe(1);
  expect(heard('down', 'key', [5, 5])).toBe(0);
});
