import { type CSSProperties, createContext, memo, type ReactNode, type Ref, use } from 'react';
import type { Column } from './column';
import { gridCell, gridRow } from './roles';
import type { Selection } from './selection';
import { cellOf, hiddenText, shown } from './values';

interface Rows {
  /** Prefix of row ids. */
  id: string;
  rowAt(place: number): number;
  selection: Selection;
  choose(row: number, how: 'only' | 'toggle' | 'range'): void;
}

export const RowsContext = createContext<Rows>({
  id: '',
  rowAt: (place) => place,
  selection: { chosen: new Set(), active: -1, anchor: -1 },
  choose: () => {},
});

interface RowItemProps {
  index: number;
  children: ReactNode;
  /** Position from the virtual list. */
  style?: CSSProperties;
  ref?: Ref<HTMLTableRowElement>;
}

/** A row at its position. Keyboard selection is handled by the grid, which has the focus. */
export function RowItem({ index, children, style, ref }: RowItemProps) {
  const { id, rowAt, selection, choose } = use(RowsContext);
  const row = rowAt(index);
  return (
    <tr
      {...gridRow}
      ref={ref}
      id={`${id}-${index}`}
      className="table-row"
      style={style}
      aria-rowindex={index + 2}
      aria-selected={selection.chosen.has(row)}
      data-active={selection.active === row || undefined}
      onClick={(event) => {
        // The user is selecting text in it.
        if (getSelection()?.isCollapsed === false && !event.shiftKey) return;
        choose(row, event.shiftKey ? 'range' : event.ctrlKey || event.metaKey ? 'toggle' : 'only');
      }}
      onMouseDown={(event) => {
        if (event.shiftKey) event.preventDefault();
      }}
    >
      {children}
    </tr>
  );
}

interface RowProps {
  row: unknown;
  columns: readonly Column[];
}

/** The cells of a row. Re-renders only when one of them changed, even if the row is a new object. */
export const Row = memo(function Row({ row, columns }: RowProps) {
  return columns.map((column) => {
    const value = cellOf(row, column);
    const text = shown(value, column);
    return (
      <td
        key={column.key}
        {...gridCell}
        className="table-cell truncate"
        data-align={column.align}
        data-kind={column.kind}
        title={hiddenText(value, text)}
      >
        {text}
      </td>
    );
  });
}, sameCells);

function sameCells(before: RowProps, now: RowProps): boolean {
  if (before.columns !== now.columns) return false;
  return (
    before.row === now.row ||
    now.columns.every((column) => {
      const value = cellOf(now.row, column);
      return (typeof value !== 'object' || value === null) && value === cellOf(before.row, column);
    })
  );
}
