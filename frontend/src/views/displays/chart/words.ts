import { t } from '../../../i18n';
import { joinFacts, sentences } from '../../../i18n/formats';
import { oneLine } from '../../parts/clean';
import { count } from '../../parts/numbers';
import { seriesName } from './asTable';
import { figure, percent } from './figures';
import { rangeOf } from './frame';
import { type Chart, mostValues } from './model';
import { partsOf, pieOf } from './pie';

/** Most series or slices described in the summary. */
const mostTold = 4;

/** Describes a chart in a sentence or two, for people who can't see it. */
export function summary(chart: Chart): string {
  const what = chart.type === 'pie' ? pieWords(chart) : seriesWords(chart);
  const type = t(`display.chart.types.${chart.type}`);
  const said =
    chart.title === ''
      ? t('display.chart.summary', { type, what })
      : t('display.chart.summaryTitled', { type, title: oneLine(chart.title), what });
  return said.trim();
}

function seriesWords(chart: Chart): string {
  const told = chart.series.slice(0, mostTold).map((series, place) => {
    const range = rangeOf([series]);
    const points = series.points.filter(({ y }) => y !== null).length;
    const values =
      range === null
        ? t('display.chart.noNumbers')
        : range.low === range.high
          ? t('display.chart.always', { value: figure(range.low) })
          : t('display.chart.between', { low: figure(range.low), high: figure(range.high) });
    return t('display.chart.what', {
      count: points,
      n: count(points),
      series: oneLine(seriesName(chart, place)),
      values,
    });
  });
  const more = chart.series.length - told.length;
  return sentences([...told, ...(more > 0 ? [t('display.chart.moreWhat', { n: more })] : [])]);
}

function pieWords(chart: Chart): string {
  const { slices } = pieOf(chart, new Set());
  const told = [...slices]
    .sort((a, b) => b.share - a.share)
    .slice(0, mostTold)
    .map(
      ({ name, of, share }) =>
        `${name === '' ? t('display.chart.other', { count: of }) : oneLine(name)} ${percent(share)}`,
    );
  if (told.length === 0) return '';
  return t(slices.length > told.length ? 'display.chart.slicesMore' : 'display.chart.slices', {
    slices: joinFacts(told),
  });
}

/** Why nothing can be drawn; empty if something can. */
export function emptyReason(chart: Chart, writing: boolean): string {
  const numbers = chart.series.some(({ points }) => points.some(({ y }) => y !== null));
  if (!numbers && writing) return t('display.chart.coming');
  if (!numbers) return t(chart.unread > 0 ? 'display.chart.noNumbers' : 'display.chart.empty');
  if (chart.type === 'pie' && !partsOf(chart).some(({ value }) => value > 0)) {
    return t(writing ? 'display.chart.coming' : 'display.chart.noShare');
  }
  return '';
}

/** What the drawing omits, one sentence each. */
export function notes(chart: Chart, drawn: { points: number; of: number }): string[] {
  const all: string[] = [];
  if (chart.unknownType !== '')
    all.push(t('display.chart.unknownType', { type: oneLine(chart.unknownType.slice(0, 30)) }));
  if (chart.unread > 0) all.push(t('display.chart.unread', { count: chart.unread, n: count(chart.unread) }));
  if (chart.moreSeries > 0) all.push(t('display.chart.moreSeries', { count: chart.moreSeries }));
  if (chart.cut) all.push(t('display.chart.cut', { n: count(mostValues) }));
  if (chart.type === 'pie') {
    const { negative } = pieOf(chart, new Set());
    if (negative > 0) all.push(t('display.chart.negative', { count: negative }));
    if (chart.series.length > 1 && chart.series.some(({ points }) => points.length > 1))
      all.push(t('display.chart.oneSeries'));
  } else if (drawn.points < drawn.of) {
    all.push(t('display.chart.sampled', { n: count(drawn.points), of: count(drawn.of) }));
  }
  return all;
}
