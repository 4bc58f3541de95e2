import { t } from '../../../i18n';
import { placeName } from './figures';
import { aligned } from './frame';
import type { Chart } from './model';
import { partsOf } from './pie';

/** The values of a chart as the input of a table. */
export interface ChartTable {
  readonly columns: readonly { key: string; label: string; type?: 'number' }[];
  readonly rows: readonly (readonly (string | number | null)[])[];
}

export function seriesName(chart: Chart, place: number): string {
  const name = chart.series[place]?.name ?? '';
  if (name !== '') return name;
  return chart.series.length === 1
    ? chart.y || t('display.chart.value')
    : t('display.chart.series', { n: place + 1 });
}

export function asTable(chart: Chart): ChartTable {
  if (chart.type === 'pie') return pieTable(chart);
  const [xs, ...ys] = aligned(chart.series);
  const x = chart.xKind === 'number' ? 'number' : undefined;
  return {
    columns: [
      {
        key: 'x',
        label: chart.x || t(chart.xKind === 'label' ? 'display.chart.point' : 'display.chart.x'),
        ...(x && { type: x }),
      },
      ...chart.series.map((_, place) => ({
        key: `s${place}`,
        label: seriesName(chart, place),
        type: 'number' as const,
      })),
    ],
    rows: xs.map((at, i) => [
      chart.xKind === 'number' ? at : chart.xKind === 'time' ? isoOf(at) : placeName(chart, at),
      ...ys.map((column) => column[i] ?? null),
    ]),
  };
}

function pieTable(chart: Chart): ChartTable {
  return {
    columns: [
      { key: 'name', label: chart.x || t('display.chart.slice') },
      { key: 'value', label: chart.y || t('display.chart.value'), type: 'number' },
    ],
    rows: partsOf(chart).map(({ name, value }) => [name, value]),
  };
}

/** A timestamp that also sorts as text; a whole day as a date. */
function isoOf(at: number): string {
  if (Math.abs(at) > 8.64e15) return '';
  const iso = new Date(at).toISOString();
  return iso.endsWith('T00:00:00.000Z') ? iso.slice(0, 10) : iso.slice(0, 19).replace('T', ' ');
}
