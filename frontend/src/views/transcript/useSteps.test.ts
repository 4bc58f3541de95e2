// @vitest-environment jsdom
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { focusRow } from './useSteps';

beforeEach(() => {
  vi.stubGlobal('CSS', { escape: (text: string) => text });
  vi.useFakeTimers({ toFake: ['requestAnimationFrame', 'cancelAnimationFrame'] });
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  document.body.replaceChildren();
});

function row(key: string): HTMLElement {
  const element = document.createElement('div');
  element.dataset['step'] = key;
  element.tabIndex = -1;
  return element;
}

function scroller(): HTMLElement {
  const element = document.createElement('div');
  document.body.append(element);
  return element;
}

it('focuses a row as soon as it is drawn', () => {
  const list = scroller();
  focusRow(list, 'm1', () => 0);
  vi.advanceTimersToNextFrame();
  const drawn = row('m1');
  list.append(drawn);
  vi.advanceTimersToNextFrame();
  expect(document.activeElement).toBe(drawn);
});

it('leaves the focus where the user has gone elsewhere before the row is drawn', () => {
  const list = scroller();
  let left = 1;
  focusRow(list, 'm1', () => left);
  left++;
  list.append(row('m1'));
  vi.advanceTimersToNextFrame();
  expect(document.activeElement).toBe(document.body);
});
