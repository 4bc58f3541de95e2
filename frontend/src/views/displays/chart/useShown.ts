import { useMemo } from 'react';
import { aligned, thinned } from './frame';
import type { Chart } from './model';
import { pieOf, type Pie as Slices } from './pie';
import type { Shown } from './plot';

/** The visible part of a chart: series as points, or slices. */
export interface ShownChart extends Shown {
  readonly pie: Slices;
  /** Points before thinning. */
  readonly points: number;
}

/** Returns what is visible of a chart while some of its series are hidden. */
export function useShown(chart: Chart, hidden: ReadonlySet<number>): ShownChart {
  return useMemo(() => {
    const pie = pieOf(chart, hidden);
    if (chart.type === 'pie') return { chart, series: [], places: [], columns: [[]], points: 0, pie };
    const places = chart.series.map((_, place) => place).filter((place) => !hidden.has(place));
    const series = places.flatMap((place) => chart.series[place] ?? []);
    const all = aligned(series);
    return { chart, series, places, columns: thinned(all), points: all[0].length, pie };
  }, [chart, hidden]);
}
