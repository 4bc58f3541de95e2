import { afterEach, expect, it, vi } from 'vitest';
import { showUndoable, undoable, undoDone } from './notify';

const { toast } = vi.hoisted(() => ({ toast: vi.fn() }));
vi.mock('sonner', () => ({ toast }));
afterEach(() => undoable.set({ list: [] }));

it('can undo what its notification told after that is gone, and once', () => {
  const [first, last] = [vi.fn(), vi.fn()];
  showUndoable('First', first);
  showUndoable('Last', last);
  const latest = undoable.get().list.at(-1);
  expect(latest?.what).toBe('Last');
  if (latest !== undefined) for (let i = 0; i < 2; i++) undoDone(latest);
  expect(last).toHaveBeenCalledOnce();
  expect(undoable.get().list.map(({ what }) => what)).toEqual(['First']);
});
