import uPlot from 'uplot';
import { axisFigure, placeName } from './figures';
import { type Columns, rangeOf, scaleOf, xScaleOf } from './frame';
import type { Look } from './look';
import { drawBars, drawMarkers } from './marks';
import type { Chart, Series } from './model';
import { signOf } from './signs';

/** The visible series, with their original indices. */
export interface Shown {
  readonly chart: Chart;
  readonly series: readonly Series[];
  readonly places: readonly number[];
  readonly columns: Columns;
}

/** Lines get markers if these are at least so far apart. In CSS pixels. */
const markerSpace = 14;
const longestLabel = 16;
/** Steps for labels and integers: 1, 2, 5, 10 and so on. */
const wholeSteps = Array.from({ length: 30 }, (_, i) => [1, 2, 5].map((step) => step * 10 ** i)).flat();

/**
 * Creates a plot. Data may be replaced at any time; if the type, the series or the look change, create it again. `now`
 * returns what is visible at the time of drawing.
 */
export function makePlot(
  box: HTMLElement,
  now: () => Shown,
  look: Look,
  onCursor: (at: number | null, left: number, top: number) => void,
): uPlot {
  const { chart, places, columns } = now();
  const options: uPlot.Options = {
    width: box.clientWidth,
    height: box.clientHeight,
    padding: [12, 20, 0, 0],
    ms: 1,
    tzDate: (at) => uPlot.tzDate(new Date(at), 'Etc/UTC'),
    legend: { show: false },
    cursor: {
      y: false,
      drag: { x: false, y: false, setScale: false },
      points: { show: chart.type !== 'bar', size: 9 },
    },
    scales: {
      x: { time: chart.xKind === 'time', range: () => xScaleOf(now().chart, now().columns[0]) },
      y: { range: () => yScale(now()) },
    },
    axes: [xAxis(now, look), yAxis(look)],
    series: [{}, ...places.map((place) => line(chart, place, look))],
    hooks: {
      drawSeries: [(u, at) => mark(u, at, now(), look)],
      setCursor: [
        (u) => {
          const { idx, left = -1, top = -1 } = u.cursor;
          onCursor(left < 0 || idx === null || idx === undefined ? null : idx, left + u.over.offsetLeft, top);
        },
      ],
    },
  };
  return new uPlot(options, columns as uPlot.AlignedData, box);
}

function yScale({ chart, series }: Shown): [number, number] {
  const range = rangeOf(series);
  return range === null ? [0, 1] : scaleOf(chart, range.low, range.high);
}

function line(chart: Chart, place: number, look: Look): uPlot.Series {
  const sign = signOf(place);
  const colour = look.colour(sign.token);
  const drawn = chart.type === 'line' || chart.type === 'area';
  return {
    stroke: colour,
    width: 2,
    dash: sign.dash.map((part) => part * devicePixelRatio),
    points: { show: false },
    ...(drawn ? {} : { paths: () => null }),
    ...(chart.type === 'area' ? { fill: faded(colour), fillTo: 0 } : {}),
  };
}

/**
 * A translucent version of a token's color, which is an oklch() without alpha, so that the grid and other areas stay
 * visible.
 */
function faded(colour: string): string {
  return colour.replace(/\)$/, ' / 0.16)');
}

function mark(u: uPlot, at: number, { chart, places }: Shown, look: Look): void {
  const sign = signOf(places[at - 1] ?? 0);
  if (chart.type === 'bar') drawBars(u, at, sign, look, at - 1, places.length);
  else if (chart.type === 'scatter') drawMarkers(u, at, sign, look, 3.5);
  else if (hasRoom(u)) drawMarkers(u, at, sign, look, 3.5);
}

function hasRoom(u: uPlot): boolean {
  return u.data[0].length * markerSpace <= u.bbox.width / devicePixelRatio || u.data[0].length < 3;
}

function axis(look: Look): uPlot.Axis {
  return {
    stroke: look.quiet,
    font: `${look.size}px ${look.font}`,
    grid: { stroke: look.line, width: 1 },
    ticks: { stroke: look.line, width: 1, size: 4 },
    gap: 4,
  };
}

function xAxis(now: () => Shown, look: Look): uPlot.Axis {
  const { chart } = now();
  const common = {
    ...axis(look),
    size: look.size + 16,
    grid: { show: chart.type === 'scatter', stroke: look.line, width: 1 },
  };
  // The second line below the days shows the year.
  if (chart.xKind === 'time') return { ...common, size: look.size * 2.5 + 16, space: look.size * 7 };
  if (chart.xKind === 'number') {
    const whole = now().columns[0].every(Number.isInteger);
    return {
      ...common,
      ...(whole ? { incrs: wholeSteps } : {}),
      space: look.size * 5,
      values: (_, splits) => splits.map(axisFigure),
    };
  }
  return {
    ...common,
    incrs: wholeSteps,
    space: () => (Math.min(longestLabel, longestOf(now().chart.labels)) + 2) * look.size * 0.56,
    values: (_, splits) => splits.map((at) => (Number.isInteger(at) ? labelAt(now().chart, at) : '')),
  };
}

function labelAt(chart: Chart, at: number): string {
  if (at < 0 || at >= Math.max(chart.labels.length, 1)) return '';
  const name = placeName(chart, at);
  return name.length > longestLabel ? `${name.slice(0, longestLabel - 1)}…` : name;
}

function longestOf(labels: readonly string[]): number {
  return labels.slice(0, 500).reduce((most, { length }) => Math.max(most, length), 1);
}

function yAxis(look: Look): uPlot.Axis {
  return {
    ...axis(look),
    ticks: { show: false },
    gap: 8,
    space: look.size * 3.2,
    values: (_, splits) => splits.map(axisFigure),
    // As wide as its longest label.
    size: (_, values) =>
      Math.max(3, ...(values ?? []).map((value) => value?.length ?? 0)) * look.size * 0.62 + 14,
  };
}
