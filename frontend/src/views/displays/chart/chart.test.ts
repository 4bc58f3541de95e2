import { describe, expect, it } from 'vitest';
import { asTable } from './asTable';
import { aligned, mostDrawn, rangeOf, scaleOf, stepOf, thinned, xScaleOf } from './frame';
import { mostSeries, mostValues, readChart } from './model';
import { mostSlices, partsOf, pieOf, sliceShape } from './pie';
import { colorCount, signOf } from './signs';
import { emptyReason, notes, summary } from './words';

const chart = (input: unknown) => readChart(input, false);
const ys = (input: unknown) => chart(input).series.map(({ points }) => points.map(({ y }) => y));
const xs = (input: unknown) => chart(input).series.map(({ points }) => points.map(({ x }) => x));

describe('reading a chart', () => {
  it('reads numbers out of what may be anything', () => {
    const data = [
      1,
      '1,200',
      '12 %',
      null,
      Number.NaN,
      Number.POSITIVE_INFINITY,
      'n/a',
      {},
      [],
      true,
      1e300,
      1e-300,
    ];
    expect(ys({ series: [{ data }] })).toEqual([
      [1, 1200, 12, null, null, null, null, null, null, null, null, 0],
    ]);
    expect(chart({ series: [{ data }] }).unread).toBe(5);
  });

  it('takes points, pairs, bare lists, and sorts them by x', () => {
    expect(xs({ series: [{ data: [{ x: 3, y: 1 }, { x: '1', y: 2 }, [2, 5]] }] })).toEqual([[1, 2, 3]]);
    expect(ys({ series: [{ data: [{ x: 3, y: 1 }, { x: '1', y: 2 }, [2, 5]] }] })).toEqual([[2, 5, 1]]);
    expect(ys({ series: [1, 2] })).toEqual([[1, 2]]);
    expect(ys({ series: { data: [4] } })).toEqual([[4]]);
  });

  it('tells numbers, moments and names apart', () => {
    const kind = (...all: unknown[]) => chart({ series: [{ data: all.map((x) => ({ x, y: 1 })) }] }).xKind;
    expect([kind(1, 2), kind('2026-01-01', '2026-02'), kind('a', 'b'), kind(1, 'a')]).toEqual([
      'number',
      'time',
      'label',
      'label',
    ]);
    expect(chart({ labels: ['2026-01-01', '2026-01-02'], series: [{ data: [1, 2] }] }).xKind).toBe('time');
    expect(chart({ labels: ['a', 'b'], series: [{ data: [1, 2] }] }).xKind).toBe('label');
  });

  it('keeps to its limits and says so', () => {
    const many = chart({ series: Array.from({ length: mostSeries + 3 }, () => ({ data: [1] })) });
    expect([many.series.length, many.moreSeries]).toEqual([mostSeries, 3]);
    const long = chart({ series: [{ data: new Array(mostValues + 1).fill(1) }] });
    expect([long.series[0]?.points.length, long.cut]).toEqual([mostValues, true]);
  });

  it('reads every prefix of an input', () => {
    const prefixes: unknown[] = [
      undefined,
      null,
      [],
      'x',
      {},
      { type: 'li' },
      { type: 'line', series: null },
      { series: [null, 7, 'x', {}] },
      { series: [{ name: 'a', data: [{}] }] },
      { series: [{ name: {}, data: {} }], labels: {} },
      JSON.parse('{"__proto__": {"type": "pie"}, "series": [{"data": [{"__proto__": {"y": 1}}]}]}'),
    ];
    for (const input of prefixes) {
      const read = readChart(input, true);
      expect(read.type).toBe('line');
      expect(read.unknownType).toBe('');
      expect(emptyReason(read, true)).not.toBe('');
      expect(asTable(read).columns.length).toBeGreaterThan(0);
    }
    expect(chart({ type: 'donut' }).unknownType).toBe('donut');
  });
});

describe('columns of a plot', () => {
  const point = (x: number, y: number | null) => ({ x, y });

  it('stand on one axis: gaps are null, places of others undefined, and a doubled x stands twice', () => {
    const columns = aligned([
      { name: 'a', points: [point(1, 10), point(2, null), point(2, 12)] },
      { name: 'b', points: [point(2, 5), point(3, 6)] },
    ]);
    expect(columns).toEqual([
      [1, 2, 2, 3],
      [10, null, 12, undefined],
      [undefined, 5, undefined, 6],
    ]);
  });

  it('are thinned without losing ends, highs and lows', () => {
    const points = Array.from({ length: 100_000 }, (_, x) => point(x, Math.sin(x)));
    const high = { ...point(54_321, 99) };
    points[54_321] = high;
    points[77_777] = point(77_777, -99);
    const [places, values] = thinned(aligned([{ name: '', points }]));
    expect(places.length).toBeLessThanOrEqual(mostDrawn + 2);
    expect([places[0], places.at(-1)]).toEqual([0, 99_999]);
    expect(values?.[places.indexOf(54_321)]).toBe(99);
    expect(values?.[places.indexOf(77_777)]).toBe(-99);
    expect(places).toEqual([...places].sort((a, b) => a - b));
  });

  it('have scales with room, whatever the values', () => {
    const line = chart({ type: 'line' });
    const bar = chart({ type: 'bar' });
    for (const [low, high] of [
      [0, 0],
      [7, 7],
      [-7, -7],
      [1e20, 1e20 + 16384],
      [-1e30, 1e30],
      [3, 5],
    ] as const) {
      for (const one of [line, bar]) {
        const [from, to] = scaleOf(one, low, high);
        expect(from).toBeLessThanOrEqual(low);
        expect(to).toBeGreaterThanOrEqual(high);
        // The step of an axis must be larger than the last digit of its numbers.
        expect(to - from).toBeGreaterThan(Math.max(Math.abs(from), Math.abs(to)) * 1e-10);
      }
    }
    expect(scaleOf(bar, 3, 5)[0]).toBe(0);
    for (const places of [[], [5], [0], [1e15, 1e15 + 1], [1, 2, 9]]) {
      const [from, to] = xScaleOf(bar, places);
      expect(from).toBeLessThan(to);
    }
    expect([stepOf([1, 4, 6]), stepOf([3, 3]), stepOf([])]).toEqual([2, 1, 1]);
    expect(rangeOf([])).toBeNull();
  });
});

describe('a pie', () => {
  const pie = (data: unknown, hidden: readonly number[] = []) =>
    pieOf(chart({ type: 'pie', labels: ['a', 'b', 'c'], series: [{ data }] }), new Set(hidden));

  it('shares out what is above zero', () => {
    const { slices, negative, total } = pie([5, -3, 15]);
    expect(slices.map(({ name, share, place }) => [name, share, place])).toEqual([
      ['a', 0.25, 0],
      ['c', 0.75, 2],
    ]);
    expect([negative, total]).toEqual([1, 20]);
    expect(pie([5, 3, 15], [2]).slices.map(({ name }) => name)).toEqual(['a', 'b']);
    expect(pie([0, -1]).slices).toEqual([]);
  });

  it('puts the smallest together, and knows which they are', () => {
    const { slices } = pie(Array.from({ length: 14 }, (_, i) => 20 - i));
    expect(slices.at(-1)).toMatchObject({ of: 5, name: '', value: 45, places: [13, 12, 11, 10, 9] });
  });

  it('adds up to the whole turn, also of large and of many values', () => {
    for (const data of [[1e30, 1e30], [1e-9, 1e20], Array.from({ length: 40 }, (_, i) => i + 1)]) {
      const { slices } = pie(data);
      expect(slices.at(-1)?.to).toBeCloseTo(1);
      expect(slices.length).toBeLessThanOrEqual(mostSlices);
    }
  });

  it('takes one value of each series, too', () => {
    const read = chart({
      type: 'pie',
      series: [
        { name: 'x', data: [1] },
        { name: 'y', data: [3] },
      ],
    });
    expect(partsOf(read).map(({ name, value }) => [name, value])).toEqual([
      ['x', 1],
      ['y', 3],
    ]);
  });

  it('draws the whole turn as a ring', () => {
    expect(sliceShape({ from: 0, to: 1 }).match(/A/g)).toHaveLength(4);
    expect(sliceShape({ from: 0, to: 0.5 })).toContain('M0 -100A100 100 0 0 1 0 100');
  });
});

describe('words', () => {
  it('sum a chart up', () => {
    expect(
      summary(chart({ type: 'bar', title: 'Sales', series: [{ name: 'A', data: [1, 5] }, { data: [2] }] })),
    ).toBe('Bar chart “Sales”. A: 2 points, between 1 and 5. Series 2: 1 point, always 2.');
    expect(summary(chart({ type: 'pie', labels: ['a', 'b'], series: [{ data: [1, 3] }] }))).toBe(
      'Pie chart. b 75%, a 25%.',
    );
  });

  it('say why not, and what is missing', () => {
    expect(emptyReason(chart({ series: [{ data: ['x'] }] }), false)).toBe('No numeric values found.');
    expect(emptyReason(chart({}), false)).toBe('No values.');
    expect(emptyReason(chart({ type: 'pie', series: [{ data: [-1] }] }), false)).toBe(
      'A pie chart needs values above zero.',
    );
    expect(
      notes(chart({ type: 'donut', series: [{ data: [1, 'x'] }] }), { points: 5, of: 9000 }),
    ).toHaveLength(3);
  });
});

describe('signs', () => {
  it('are all different, also without colour, for twice as many as there are colours', () => {
    const all = Array.from({ length: 2 * colorCount }, (_, place) => JSON.stringify(signOf(place)));
    expect(new Set(all).size).toBe(all.length);
    const shapes = Array.from({ length: colorCount }, (_, place) => signOf(place));
    expect(new Set(shapes.map(({ marker }) => marker)).size).toBe(colorCount);
    expect(new Set(shapes.map(({ hatch }) => hatch)).size).toBe(colorCount);
    expect(new Set(shapes.map(({ dash }) => dash.join())).size).toBe(colorCount);
  });
});

describe('the table of a chart', () => {
  it('has a row per place and a column per series', () => {
    const table = asTable(
      chart({ labels: ['a', 'b'], series: [{ name: 'n', data: [1, 2] }, { data: [3] }] }),
    );
    expect(table.columns.map(({ label }) => label)).toEqual(['Point', 'n', 'Series 2']);
    expect(table.rows).toEqual([
      ['a', 1, 3],
      ['b', 2, null],
    ]);
  });
});
