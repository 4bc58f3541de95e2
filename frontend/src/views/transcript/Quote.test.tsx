import { act, render } from '@testing-library/react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { noSpot } from '../find/spot';
import { Quote } from './Quote';
import { ReadingContext } from './reading';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

it('looks for a selection once the keys rest, and not while the user types', () => {
  const scroller = { current: document.createElement('div') };
  const { getByRole } = render(
    <ReadingContext value={{ spot: noSpot } as never}>
      <textarea />
      <Quote scroller={scroller} />
    </ReadingContext>,
  );
  const asked = vi.spyOn(document, 'getSelection');
  const change = () =>
    act(() => {
      document.dispatchEvent(new Event('selectionchange'));
      vi.advanceTimersByTime(50);
    });
  const field = getByRole('textbox');
  field.focus();
  for (let i = 0; i < 5; i++) change();
  expect(asked).not.toHaveBeenCalled();
  act(() => vi.advanceTimersByTime(400));
  expect(asked).toHaveBeenCalledTimes(1);
  field.blur();
  change();
  expect(asked).toHaveBeenCalledTimes(2);
});
