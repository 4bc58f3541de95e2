import { type KeyboardEvent, useEffect, useLayoutEffect, useRef, useState } from 'react';
import type uPlot from 'uplot';
import { t } from '../../../i18n';
import { oneLine } from '../../parts/clean';
import { seriesName } from './asTable';
import { figure, placeName } from './figures';
import { lookOf, useLookChanges } from './look';
import { makePlot, type Shown } from './plot';
import { Swatch } from './Swatch';
import { signOf } from './signs';
import 'uplot/dist/uPlot.min.css';

interface Cursor {
  at: number;
  left: number;
  top: number;
  byKey: boolean;
}

interface PlotProps {
  shown: Shown;
  summary: string;
}

/** Line, bar, area and scatter charts. The arrow keys move through the values. */
export function Plot({ shown, summary }: PlotProps) {
  const [cursor, setCursor] = useState<Cursor | null>(null);
  const { box, plot } = usePlot(shown, (next) => setCursor(next));
  const byKey = useRef(false);
  const move = (event: KeyboardEvent) => {
    const u = plot.current;
    const to = u === null ? null : moved(event.key, cursor?.at ?? null, shown.columns[0].length);
    if (u === null || to === null) return;
    event.preventDefault();
    event.stopPropagation();
    byKey.current = true;
    u.setCursor({ left: u.valToPos(shown.columns[0][to] ?? 0, 'x'), top: u.over.clientHeight / 3 });
    // The pointer finds only one of several points with the same x; the keyboard reaches each of them.
    setCursor((now) => (now === null ? null : { ...now, at: to, byKey: true }));
  };
  return (
    <div className="chart-plot">
      <div
        ref={box}
        role="img"
        className="chart-canvas"
        aria-label={`${summary} ${t('display.chart.keys')}`}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the arrow keys navigate the values
        tabIndex={0}
        onKeyDown={move}
        onBlur={() => plot.current?.setCursor({ left: -10, top: -10 })}
      />
      {cursor !== null && <Tip cursor={cursor} shown={shown} width={box.current?.clientWidth ?? 0} />}
    </div>
  );
}

function usePlot(shown: Shown, onCursor: (cursor: Cursor | null) => void) {
  const box = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const latest = useRef({ shown, onCursor });
  useLayoutEffect(() => {
    latest.current = { shown, onCursor };
  });
  const look = useLookChanges();
  const { chart, places, columns } = shown;
  const made = `${chart.type} ${chart.xKind} ${places.join(' ')} ${look}`;
  // biome-ignore lint/correctness/useExhaustiveDependencies: recreated only for what a plot can't change
  useLayoutEffect(() => {
    const element = box.current;
    if (element === null) return;
    const one = makePlot(
      element,
      () => latest.current.shown,
      lookOf(element),
      (at, left, top) => latest.current.onCursor(at === null ? null : { at, left, top, byKey: false }),
    );
    plot.current = one;
    const observer = new ResizeObserver(() => {
      const { clientWidth: width, clientHeight: height } = element;
      if (width > 0 && (width !== one.width || height !== one.height)) one.setSize({ width, height });
    });
    observer.observe(element);
    return () => {
      observer.disconnect();
      one.destroy();
      plot.current = null;
      latest.current.onCursor(null);
    };
  }, [made]);
  useEffect(() => {
    if (plot.current !== null && plot.current.data !== (columns as unknown)) {
      plot.current.setData(columns as uPlot.AlignedData);
    }
  }, [columns]);
  return { box, plot };
}

function moved(key: string, at: number | null, length: number): number | null {
  if (length === 0) return null;
  switch (key) {
    case 'ArrowRight':
      return Math.min(length - 1, (at ?? -1) + 1);
    case 'ArrowLeft':
      return Math.max(0, (at ?? length) - 1);
    case 'Home':
      return 0;
    case 'End':
      return length - 1;
    default:
      return null;
  }
}

/** Most values in the tooltip. */
const mostInTip = 12;

function Tip({ cursor, shown, width }: { cursor: Cursor; shown: Shown; width: number }) {
  const { chart, places, columns } = shown;
  const [xs, ...ys] = columns;
  const x = xs[cursor.at];
  if (x === undefined) return null;
  const values = places.flatMap((place, i) => {
    const y = ys[i]?.[cursor.at];
    return y === undefined || y === null ? [] : [{ place, y }];
  });
  return (
    <div
      className="chart-tip tabular"
      style={beside(cursor, width)}
      aria-live={cursor.byKey ? 'polite' : 'off'}
    >
      <div className="chart-tip-x">{oneLine(placeName(chart, x))}</div>
      {values.slice(0, mostInTip).map(({ place, y }) => (
        <div key={place} className="chart-tip-row">
          <Swatch sign={signOf(place)} type={chart.type} />
          <span className="chart-tip-name truncate">{oneLine(seriesName(chart, place))}</span>
          <b>{figure(y)}</b>
        </div>
      ))}
    </div>
  );
}

/** Positions the tooltip beside the cursor, on the side with more space. */
function beside({ left }: Cursor, width: number) {
  return left > width / 2 ? { right: width - left + 12, top: 12 } : { left: left + 12, top: 12 };
}
