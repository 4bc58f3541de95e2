import { useDeferredValue, useId, useMemo, useRef, useState } from 'react';
import { t } from '../../../i18n';
import { oneLine } from '../../parts/clean';
import { TableDisplay } from '../table/TableDisplay';
import { asTable, seriesName } from './asTable';
import { ChartActions } from './ChartActions';
import { figure, percent } from './figures';
import { HiddenTable } from './HiddenTable';
import { type Entry, Legend } from './Legend';
import { type Chart, readChart } from './model';
import { Pie, sliceName } from './Pie';
import { Plot } from './Plot';
import { partsOf, type Pie as Slices } from './pie';
import { type ShownChart, useShown } from './useShown';
import { emptyReason, notes, summary } from './words';
import '../figure.css';
import './chart.css';

export interface ChartDisplayProps {
  /** The tool's input so far: `{ title?, type, x?, y?, series, labels? }`. */
  input: unknown;
  /** More input is still arriving. */
  writing: boolean;
}

/** A chart of the input so far. The same values are available as a table. */
export function ChartDisplay({ input, writing }: ChartDisplayProps) {
  const id = useId();
  const figureRef = useRef<HTMLElement>(null);
  // Parsing and drawing many points must not delay other streaming content.
  const now = useDeferredValue(input);
  const chart = useMemo(() => readChart(now, writing), [now, writing]);
  const [hidden, setHidden] = useState<ReadonlySet<number>>(new Set());
  const [asRows, setAsRows] = useState(false);
  const table = useMemo(() => asTable(chart), [chart]);
  const shown = useShown(chart, hidden);
  const title = oneLine(chart.title);
  const missing = emptyReason(chart, writing);
  const told = useMemo(() => summary(chart), [chart]);
  const toggle = (places: readonly number[]) =>
    setHidden((before) => {
      const after = new Set(before);
      for (const place of places) if (!after.delete(place)) after.add(place);
      return after;
    });
  return (
    <figure
      ref={figureRef}
      className="chart-display"
      aria-labelledby={title === '' ? undefined : `${id}-title`}
    >
      <div className="chart-head">
        {title !== '' && (
          <figcaption id={`${id}-title`} className="figure-title truncate" dir="auto">
            {title}
          </figcaption>
        )}
        {missing === '' && (
          <ChartActions
            chart={chart}
            shown={shown}
            table={table}
            asRows={asRows}
            onAsRows={setAsRows}
            root={figureRef}
          />
        )}
      </div>
      {missing !== '' ? (
        <p className="chart-missing quiet-text">{missing}</p>
      ) : asRows ? (
        <TableDisplay input={table} writing={writing} />
      ) : (
        <>
          <Drawing chart={chart} shown={shown} hidden={hidden} told={told} onToggle={toggle} />
          <HiddenTable table={table} caption={title} />
        </>
      )}
      {missing === '' && <Notes chart={chart} shown={shown} />}
    </figure>
  );
}

export default ChartDisplay;

interface DrawingProps {
  chart: Chart;
  shown: ShownChart;
  hidden: ReadonlySet<number>;
  told: string;
  onToggle(places: readonly number[]): void;
}

function Drawing({ chart, shown, hidden, told, onToggle }: DrawingProps) {
  const [pointed, setPointed] = useState(-1);
  const entries = chart.type === 'pie' ? sliceEntries(chart, shown.pie, hidden) : seriesEntries(chart);
  return (
    <div className="chart-drawing" data-type={chart.type}>
      {chart.type === 'pie' ? (
        <Pie pie={shown.pie} summary={told} pointed={pointed} />
      ) : (
        <>
          {chart.y !== '' && <div className="chart-axis">{oneLine(chart.y)}</div>}
          <Plot shown={shown} summary={told} />
          {chart.x !== '' && <div className="chart-axis chart-axis-x">{oneLine(chart.x)}</div>}
        </>
      )}
      {(entries.length > 1 || chart.type === 'pie') && (
        <Legend
          type={chart.type}
          entries={entries}
          hidden={hidden}
          onToggle={onToggle}
          onPoint={setPointed}
        />
      )}
    </div>
  );
}

function seriesEntries(chart: Chart): readonly Entry[] {
  return chart.series.map((_, place) => ({
    place,
    places: [place],
    name: oneLine(seriesName(chart, place)),
  }));
}

/** The visible slices, and those that are switched off. */
function sliceEntries(chart: Chart, pie: Slices, hidden: ReadonlySet<number>): readonly Entry[] {
  const drawn = pie.slices.map((slice) => ({
    place: slice.place,
    places: slice.places,
    name: sliceName(slice),
    value: `${figure(slice.value)} · ${percent(slice.share)}`,
  }));
  const off = partsOf(chart)
    .filter(({ value, place }) => value > 0 && hidden.has(place))
    .map(({ place, name, value }) => ({ place, places: [place], name: oneLine(name), value: figure(value) }));
  return [...drawn, ...off].sort((a, b) => a.place - b.place);
}

function Notes({ chart, shown }: { chart: Chart; shown: ShownChart }) {
  const all = notes(chart, { points: shown.columns[0].length, of: shown.points });
  const none = chart.type === 'pie' ? shown.pie.slices.length === 0 : shown.series.length === 0;
  if (none) all.push(t('display.chart.allHidden'));
  if (all.length === 0) return null;
  return (
    <ul className="chart-notes quiet-text">
      {all.map((note) => (
        <li key={note}>{note}</li>
      ))}
    </ul>
  );
}
