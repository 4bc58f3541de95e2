import { keyOf } from '../../../keyboard/layout';

/** Selected rows and the active row, as indices of the original rows. */
export interface Selection {
  readonly chosen: ReadonlySet<number>;
  /** The active row; -1 initially. */
  readonly active: number;
  /** Start of a range. */
  readonly anchor: number;
}

export const nothing: Selection = { chosen: new Set(), active: -1, anchor: -1 };

/** The current order: sorted and filtered. */
export interface RowOrder {
  readonly length: number;
  /** The row at a position. */
  at(place: number): number;
  /** The position of a row; -1 if it is filtered out. */
  placeOf(row: number): number;
}

/** The current order of rows. If `view` is null, all rows in their original order. */
export function rowOrder(view: readonly number[] | null, length: number): RowOrder {
  if (view === null) return { length, at: (place) => place, placeOf: (row) => (row < length ? row : -1) };
  return { length: view.length, at: (place) => view[place] ?? -1, placeOf: (row) => view.indexOf(row) };
}

export function pick(
  now: Selection,
  row: number,
  how: 'only' | 'toggle' | 'range',
  rows: RowOrder,
): Selection {
  if (how === 'range' && now.anchor >= 0) return { ...range(now.anchor, row, rows), active: row };
  if (how === 'toggle') {
    const chosen = new Set(now.chosen);
    if (!chosen.delete(row)) chosen.add(row);
    return { chosen, active: row, anchor: row };
  }
  const again = now.chosen.size === 1 && now.chosen.has(row);
  return { chosen: new Set(again ? [] : [row]), active: row, anchor: row };
}

function range(anchor: number, row: number, rows: RowOrder): Omit<Selection, 'active'> {
  const from = Math.max(0, rows.placeOf(anchor));
  const to = rows.placeOf(row);
  const chosen = new Set<number>();
  for (let i = Math.min(from, to); i <= Math.max(from, to); i++) chosen.add(rows.at(i));
  return { chosen, anchor };
}

/** Handles a key on the grid; null if it has no meaning here. `page`: number of rows that fit the view. */
export function pressed(
  now: Selection,
  key: { key: string; code?: string; shiftKey: boolean; ctrlKey: boolean; metaKey: boolean; altKey: boolean },
  rows: RowOrder,
  page: number,
): Selection | null {
  if (key.altKey || rows.length === 0) return null;
  if (key.ctrlKey || key.metaKey) {
    if (keyOf(key) !== 'a') return null;
    return { ...now, chosen: new Set(Array.from({ length: rows.length }, (_, place) => rows.at(place))) };
  }
  if (key.key === 'Escape') return now.chosen.size === 0 ? null : { ...now, chosen: new Set() };
  const here = now.active < 0 ? -1 : rows.placeOf(now.active);
  if (key.key === ' ') return pick(now, rows.at(Math.max(0, here)), key.shiftKey ? 'range' : 'toggle', rows);
  const there = moved(key.key, here, rows.length, page);
  if (there === null) return null;
  const row = rows.at(there);
  if (!key.shiftKey) return { ...now, active: row, anchor: row };
  const anchor = now.anchor < 0 ? row : now.anchor;
  return { ...range(anchor, row, rows), active: row };
}

function moved(key: string, here: number, length: number, page: number): number | null {
  const to = (place: number) => Math.min(length - 1, Math.max(0, place));
  switch (key) {
    case 'ArrowDown':
      return to(here + 1);
    case 'ArrowUp':
      return to(here - 1);
    case 'PageDown':
      return to(here + page);
    case 'PageUp':
      return to(here - page);
    case 'Home':
      return 0;
    case 'End':
      return length - 1;
    default:
      return null;
  }
}
