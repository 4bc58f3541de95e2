import { type CSSProperties, useEffect, useId, useMemo, useRef, useState } from 'react';
import { Virtualizer } from 'virtua';
import type { Column } from './column';
import { asTsv } from './copy';
import { Head } from './Head';
import { Row, RowItem, RowsContext } from './Row';
import { grid, rowGroup } from './roles';
import { nothing, pick, pressed, type Selection } from './selection';
import { rowsToCopy, type Table } from './useTable';

/** From this many rows on, only visible ones are mounted. */
const virtualFrom = 200;

interface GridProps {
  table: Table;
  label: string;
  selection: Selection;
  onSelect(selection: Selection): void;
  empty: string;
}

/** The rows below a sticky header, in a box that scrolls in both directions. */
export function Grid({ table, label, selection, onSelect, empty }: GridProps) {
  const { columns, rows, view, standing } = table;
  const box = useRef<HTMLDivElement>(null);
  const id = useId();
  const activePlace = selection.active < 0 ? -1 : standing.placeOf(selection.active);
  const activeId = activePlace < 0 ? undefined : `${id}-${activePlace}`;
  useFollowActive(activeId, selection);
  const context = useMemo(
    () => ({
      id,
      rowAt: standing.at,
      selection,
      choose: (row: number, how: 'only' | 'toggle' | 'range') =>
        onSelect(pick(selection, row, how, standing)),
    }),
    [id, standing, selection, onSelect],
  );
  return (
    <div ref={box} className="table-box">
      <table
        {...grid(activeId)}
        className="table-grid tabular"
        style={gridStyle(columns)}
        aria-label={label}
        aria-rowcount={standing.length + 1}
        aria-colcount={columns.length}
        onKeyDown={(event) => {
          if (event.target !== event.currentTarget) return;
          const next = pressed(selection, event, standing, pageOf(box.current));
          if (next === null) return;
          event.preventDefault();
          event.stopPropagation();
          onSelect(next);
        }}
        onCopy={(event) => {
          // Selected text in a cell is copied normally.
          if (selection.chosen.size === 0 || getSelection()?.isCollapsed === false) return;
          event.preventDefault();
          event.clipboardData.setData('text/plain', asTsv(columns, rowsToCopy(table, selection)));
        }}
      >
        <Head table={table} onSort={() => onSelect({ ...nothing, chosen: selection.chosen })} />
        <RowsContext value={context}>
          <Body table={table} scroller={box} keep={activePlace} view={view ?? rows} />
        </RowsContext>
      </table>
      {standing.length === 0 && <p className="table-empty quiet-text">{empty}</p>}
    </div>
  );
}

interface BodyProps {
  table: Table;
  scroller: React.RefObject<HTMLDivElement | null>;
  keep: number;
  /** Present if there are rows to draw. */
  view: readonly unknown[];
}

function Body({ table: { columns, rows, standing }, scroller, keep, view }: BodyProps) {
  const head = useHeadHeight(scroller);
  const cells = (place: number) => <Row row={rows[standing.at(place)]} columns={columns} />;
  if (standing.length <= virtualFrom) {
    return (
      <tbody {...rowGroup}>
        {Array.from({ length: standing.length }, (_, place) => (
          <RowItem key={standing.at(place)} index={place}>
            {cells(place)}
          </RowItem>
        ))}
      </tbody>
    );
  }
  return (
    <Virtualizer
      as="tbody"
      item={RowItem}
      data={view}
      scrollRef={scroller}
      startMargin={head}
      itemSize={head}
      keepMounted={keep < 0 ? [] : [keep]}
    >
      {(_, place) => cells(place)}
    </Virtualizer>
  );
}

/** Height of the header, which equals that of a row. */
function useHeadHeight(box: React.RefObject<HTMLDivElement | null>): number {
  const [height, setHeight] = useState(32);
  useEffect(() => {
    const head = box.current?.querySelector('thead');
    if (head === null || head === undefined || typeof ResizeObserver === 'undefined') return;
    const observer = new ResizeObserver(() => setHeight(head.offsetHeight));
    observer.observe(head);
    return () => observer.disconnect();
  }, [box]);
  return height;
}

/** Keeps the active row in view. */
function useFollowActive(activeId: string | undefined, { active, chosen }: Selection): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: only for keyboard navigation, not for new rows
  useEffect(() => {
    if (activeId === undefined) return;
    document.getElementById(activeId)?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [active, chosen]);
}

function pageOf(box: HTMLDivElement | null): number {
  const row = box?.querySelector('thead')?.offsetHeight ?? 0;
  return box === null || row === 0 ? 10 : Math.max(1, Math.floor(box.clientHeight / row) - 2);
}

/** Every row is its own grid with the same columns, so widths do not depend on which rows are visible. */
function gridStyle(columns: readonly Column[]): CSSProperties {
  const sum = columns.reduce((all, { width }) => all + width, 0);
  return {
    '--table-columns': columns.map(({ width }) => `minmax(calc(${width}ch + 24px), ${width}fr)`).join(' '),
    minWidth: `calc(${sum}ch + ${24 * columns.length}px)`,
  } as CSSProperties;
}
