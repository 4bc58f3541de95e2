// @vitest-environment jsdom
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { RowScroll } from './rowScroll';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['requestAnimationFrame', 'cancelAnimationFrame'] });
});
afterEach(() => {
  vi.useRealTimers();
  document.body.replaceChildren();
});

const frame = (count = 1) => {
  for (let i = 0; i < count; i++) vi.advanceTimersToNextFrame();
};

function scroller(height: number): HTMLElement {
  const element = document.createElement('div');
  document.body.append(element);
  Object.defineProperties(element, {
    scrollHeight: { get: () => height },
    clientHeight: { get: () => 500 },
  });
  return element;
}

it('goes to a row at once, and again while its place is learned', () => {
  const element = scroller(5000);
  let want = 1000;
  new RowScroll().begin(element, () => want);
  expect(element.scrollTop).toBe(1000);
  want = 1200;
  frame();
  expect(element.scrollTop).toBe(1200);
});

it('goes no further than to the ends', () => {
  const element = scroller(5000);
  new RowScroll().begin(element, () => 6000);
  expect(element.scrollTop).toBe(4500);
  new RowScroll().begin(element, () => -20);
  expect(element.scrollTop).toBe(0);
});

it('lets the row go once it is still, whatever grows then', () => {
  const element = scroller(5000);
  let want = 1000;
  new RowScroll().begin(element, () => want);
  frame(20);
  want = 1500;
  frame(20);
  expect(element.scrollTop).toBe(1000);
});

it('gives way to what moves without an end', () => {
  const element = scroller(100_000);
  let want = 1000;
  new RowScroll().begin(element, () => ++want * 2);
  frame(200);
  const { scrollTop } = element;
  frame(20);
  expect(element.scrollTop).toBe(scrollTop);
});

it('stops where the user takes over, and where something else is gone to', () => {
  const takeovers = [
    (element: HTMLElement) => element.dispatchEvent(new WheelEvent('wheel')),
    (element: HTMLElement) => element.dispatchEvent(new Event('pointerdown')),
    (element: HTMLElement) => element.dispatchEvent(new KeyboardEvent('keydown', { key: 'PageUp' })),
    (_: HTMLElement, scroll: RowScroll) => scroll.stop(),
    (element: HTMLElement, scroll: RowScroll) => scroll.begin(element, () => null),
  ];
  for (const takesOver of takeovers) {
    const element = scroller(5000);
    const scroll = new RowScroll();
    scroll.begin(element, () => 1000);
    takesOver(element, scroll);
    element.scrollTop = 300;
    frame(5);
    expect(element.scrollTop).toBe(300);
  }
});

it('stops when the row is gone', () => {
  const element = scroller(5000);
  let want: number | null = 1000;
  new RowScroll().begin(element, () => want);
  want = null;
  frame();
  want = 2000;
  frame(5);
  expect(element.scrollTop).toBe(1000);
});
