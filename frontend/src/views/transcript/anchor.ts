import type { VirtualizerHandle } from 'virtua';
import type { Row } from './rows';

/** The row at the top of the view, and how far below that it begins, in pixels. */
export interface Anchor {
  readonly key: string;
  readonly top: number;
}

type List = Pick<VirtualizerHandle, 'findItemIndex' | 'getItemOffset'> | null;
type Keyed = Pick<Row, 'key'>;

/** What is at the top of a view that begins at an offset. Nothing is measured: the list knows it. */
export function anchorAt(list: List, rows: readonly Keyed[], offset: number): Anchor | null {
  if (list === null || rows.length === 0) return null;
  const index = list.findItemIndex(offset);
  const row = rows[index];
  return row === undefined ? null : { key: row.key, top: list.getItemOffset(index) - offset };
}

/** Whether what was at the top of the view is where it was: the list has moved the view by what it has measured above, and nobody else. */
export function isKept(anchor: Anchor | null, list: List, rows: readonly Keyed[], offset: number): boolean {
  if (anchor === null || list === null) return false;
  const index = rows.findIndex(({ key }) => key === anchor.key);
  return index >= 0 && Math.abs(list.getItemOffset(index) - offset - anchor.top) < 2;
}
