import { act, render } from '@testing-library/react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { nowhere } from '../find/spot';
import { Quote } from './Quote';
import { ReadingContext } from './reading';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

it('does not look for a selection while the user types', () => {
  const scroller = { current: document.createElement('div') };
  const { getByRole } = render(
    <ReadingContext value={{ spot: nowhere } as never}>
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
  field.blur();
  change();
  expect(asked).toHaveBeenCalled();
});
