// @vitest-environment jsdom
import { renderHook } from '@testing-library/react';
import { afterEach, expect, it, vi } from 'vitest';
import { useUserScroll } from './useUserScroll';

afterEach(() => document.body.replaceChildren());

function handOn() {
  const element = document.createElement('div');
  document.body.append(element);
  const released = vi.fn();
  const { result } = renderHook(() => useUserScroll({ current: element }, { current: released }));
  return { element, hand: result.current, released };
}

const press = (element: Element, key: string) =>
  element.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));

it('takes what scrolls right after a key or a wheel for the user', () => {
  const { element, hand } = handOn();
  expect(hand.scrolls()).toBe(false);
  press(element, 'x');
  expect(hand.scrolls()).toBe(false);
  press(element, 'PageUp');
  expect(hand.scrolls()).toBe(true);
});

it('takes what scrolls after a wish for the end for the list, also where the wish was a key that scrolls', () => {
  const { element, hand } = handOn();
  element.dispatchEvent(new WheelEvent('wheel'));
  press(element, 'End');
  hand.leave();
  expect(hand.scrolls()).toBe(false);
  // After that, scrolling counts as the user's again.
  element.dispatchEvent(new WheelEvent('wheel'));
  expect(hand.scrolls()).toBe(true);
});

it('keeps what is pressed under the hand, whatever is wished for', () => {
  const { element, hand, released } = handOn();
  element.dispatchEvent(new Event('pointerdown'));
  hand.leave();
  expect(hand.presses()).toBe(true);
  window.dispatchEvent(new Event('pointerup'));
  expect(hand.presses()).toBe(false);
  expect(released).toHaveBeenCalledOnce();
});
