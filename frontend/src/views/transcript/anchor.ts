import type { VirtualizerHandle } from 'virtua';
import type { Row } from './rows';

/** The row at the top of the view, and its distance below the top, in pixels. */
export interface Anchor {
  readonly key: string;
  readonly top: number;
}

type List = Pick<VirtualizerHandle, 'findItemIndex' | 'getItemOffset'> | null;
type Keyed = Pick<Row, 'key'>;

/** Returns what is at the top of a view at an offset, from the list's own data without measuring. */
export function anchorAt(list: List, rows: readonly Keyed[], offset: number): Anchor | null {
  if (list === null || rows.length === 0) return null;
  const index = list.findItemIndex(offset);
  const row = rows[index];
  return row === undefined ? null : { key: row.key, top: list.getItemOffset(index) - offset };
}

/** Reports whether the top of the view is unchanged: then only the list moved the view, after measuring rows above. */
export function isKept(anchor: Anchor | null, list: List, rows: readonly Keyed[], offset: number): boolean {
  if (anchor === null || list === null) return false;
  const index = rows.findIndex(({ key }) => key === anchor.key);
  return index >= 0 && Math.abs(list.getItemOffset(index) - offset - anchor.top) < 2;
}
