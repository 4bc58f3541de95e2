import { act, render, screen } from '@testing-library/react';
import { Toaster, toast } from 'sonner';
import { afterEach, expect, test, vi } from 'vitest';
import { useToastFocus } from './useToastFocus';

function Page() {
  useToastFocus();
  return (
    <>
      <button type="button">Write</button>
      <Toaster />
    </>
  );
}

afterEach(() => {
  vi.useRealTimers();
});

const pass = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms));

test('a toast waits for the focus to leave, which Escape returns', async () => {
  vi.useFakeTimers();
  render(<Page />);
  act(() => screen.getByText('Write').focus());
  act(() => void toast('Archived', { duration: 8000, action: { label: 'Undo', onClick: () => {} } }));
  await pass(4000);
  act(() => screen.getByText('Undo').focus());
  await pass(60_000);
  const undo = screen.getByText('Undo');
  expect(undo).toHaveFocus();
  act(() => void undo.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', bubbles: true })));
  await pass(100);
  expect(screen.getByText('Write')).toHaveFocus();
  expect(screen.queryByText('Archived')).not.toBeNull();
  await pass(20_000);
  expect(screen.queryByText('Archived')).toBeNull();
});
