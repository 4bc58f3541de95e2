import { ArrowDown, ArrowUp, ArrowUpDown } from 'lucide-react';
import type { Column } from './column';
import { columnHeader, gridRow, rowGroup } from './roles';
import type { Table } from './useTable';

/** The header of a table: a sort button per column. */
export function Head({ table, onSort }: { table: Table; onSort(): void }) {
  return (
    <thead {...rowGroup} className="table-header">
      <tr {...gridRow} className="table-row" aria-rowindex={1}>
        {table.columns.map((column) => (
          <Header key={column.key} column={column} table={table} onSort={onSort} />
        ))}
      </tr>
    </thead>
  );
}

function Header({ column, table, onSort }: { column: Column; table: Table; onSort(): void }) {
  const direction = table.sort?.key === column.key ? table.sort.direction : undefined;
  const Arrow = direction === undefined ? ArrowUpDown : direction === 'ascending' ? ArrowUp : ArrowDown;
  return (
    <th
      {...columnHeader}
      className="table-cell truncate"
      scope="col"
      data-align={column.align}
      aria-sort={direction ?? 'none'}
    >
      <button
        type="button"
        className="table-sort"
        title={column.label}
        onClick={() => {
          onSort();
          table.sortBy(column);
        }}
      >
        <span className="table-label truncate">{column.label}</span>
        <Arrow
          size={12}
          aria-hidden
          className="table-arrow"
          data-sorted={direction !== undefined || undefined}
        />
      </button>
    </th>
  );
}
