// What tables and charts are looked at with: usual ones, and such as nobody should send.

interface Sample {
  kind: 'chart' | 'table';
  input: unknown;
  writing?: boolean;
}

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const wave = <T>(n: number, of: (i: number) => T): T[] => Array.from({ length: n }, (_, i) => of(i));
const quarters = wave(5, (s) => ({
  name: ['Berlin', 'Paris', 'Lisbon', 'Oslo', 'Porto'][s],
  data: wave(12, (i) => Math.round(40 + 30 * Math.sin(i / 2 + s) + s * 12)),
}));

function rows(n: number) {
  return wave(n, (i) => i).map((i) => ({
    id: i + 1,
    name: `${['Blue lamp', 'Oak desk', 'Wool rug', 'Clay pot'][i % 4]} ${i}`,
    price: Math.round((i * 7919) % 50_000) / 10,
    since: new Date(Date.UTC(2024, 0, 1 + (i % 700))).toISOString().slice(0, 10),
    stock: i % 3 === 0,
    note: i % 5 === 0 ? 'A longer remark that does not fit into the column and is cut with an ellipsis' : '',
  }));
}

const columns = [
  { key: 'id', label: 'No.', type: 'number' },
  { key: 'name', label: 'Article' },
  { key: 'price', label: 'Price', type: 'money', currency: 'EUR' },
  { key: 'since', label: 'Since', type: 'date' },
  { key: 'stock', label: 'In stock', type: 'boolean', align: 'center' },
  { key: 'note', label: 'Note' },
];

const hostileRows = JSON.parse(
  '[{"__proto__":"own","constructor":"c","a":1},{"a":{"b":[1,2,{"c":3}]},"toString":"x"},null,7,"text",[1,2,3],{"a":"=HYPERLINK(\\"x\\")"},{"a":"\\u202eevil\\u0000"},{"a":"<img src=x onerror=alert(1)>"}]',
);

export const samples: Record<string, Sample> = {
  'chart-line': {
    kind: 'chart',
    input: {
      title: 'Orders per month',
      type: 'line',
      y: 'Orders',
      labels: months,
      series: quarters.slice(0, 4),
    },
  },
  'chart-bar': {
    kind: 'chart',
    input: {
      title: 'Orders per month',
      type: 'bar',
      x: 'Month',
      labels: months.slice(0, 6),
      series: quarters.slice(0, 3).map((s) => ({ ...s, data: s.data.slice(0, 6) })),
    },
  },
  'chart-area': {
    kind: 'chart',
    input: {
      title: 'Memory of two processes',
      type: 'area',
      y: 'MB',
      series: wave(2, (s) => s).map((s) => ({
        name: `Process ${s + 1}`,
        data: wave(60, (i) => ({
          x: new Date(Date.UTC(2026, 2, 1 + i)).toISOString().slice(0, 10),
          y: 300 + s * 120 + 90 * Math.sin(i / 6 + s),
        })),
      })),
    },
  },
  'chart-scatter': {
    kind: 'chart',
    input: {
      title: 'Length and weight',
      type: 'scatter',
      x: 'Length (cm)',
      y: 'Weight (g)',
      series: wave(3, (s) => s).map((s) => ({
        name: ['Trout', 'Perch', 'Pike'][s],
        data: wave(40, (i) => ({ x: 10 + s * 8 + ((i * 37) % 20), y: 80 + s * 60 + ((i * 53) % 90) })),
      })),
    },
  },
  'chart-pie': {
    kind: 'chart',
    input: {
      title: 'Where the budget goes',
      type: 'pie',
      labels: ['Rent', 'Wages', 'Tools', 'Travel', 'Food'],
      series: [{ name: 'EUR', data: [1200, 3400, 560, 240, 410] }],
    },
  },
  'chart-many': {
    kind: 'chart',
    input: {
      title: 'Ten series',
      type: 'line',
      series: wave(10, (s) => s).map((s) => ({
        name: `Series ${s}`,
        data: wave(10, (i) => s * 3 + Math.sin(i + s)),
      })),
    },
  },
  'chart-negative-bars': {
    kind: 'chart',
    input: { type: 'bar', title: 'Change', labels: ['a', 'b', 'c'], series: [{ data: [-3, 4, -1] }] },
  },
  'chart-long': {
    kind: 'chart',
    input: {
      type: 'line',
      title: '100 000 points',
      series: [{ name: 'Noise', data: wave(100_000, (i) => Math.sin(i / 900) * 50 + ((i * 7919) % 101)) }],
    },
  },
  'chart-one': { kind: 'chart', input: { type: 'line', title: 'One point', series: [{ data: [5] }] } },
  'chart-equal': {
    kind: 'chart',
    input: { type: 'area', title: 'Equal values', series: [{ name: 'Level', data: [7, 7, 7, 7] }] },
  },
  'chart-odd': {
    kind: 'chart',
    input: {
      type: 'donut',
      title: 'Odd values',
      labels: months.slice(0, 7),
      series: [
        {
          name: 'Mixed',
          data: ['1,200', null, 'n/a', Number.POSITIVE_INFINITY, { x: 'Jan', y: '12 %' }, true, 900],
        },
        { name: 'Huge', data: [1e300, 5] },
        7,
        null,
      ],
    },
  },
  'chart-pie-negative': {
    kind: 'chart',
    input: {
      type: 'pie',
      title: 'Negative slices',
      labels: ['In', 'Out', 'Rest'],
      series: [{ data: [5, -3, 2] }],
    },
  },
  'chart-pie-none': {
    kind: 'chart',
    input: { type: 'pie', title: 'Nothing to share', series: [{ data: [0, -1] }] },
  },
  'chart-pie-one': {
    kind: 'chart',
    input: { type: 'pie', title: 'One slice', labels: ['All'], series: [{ data: [3] }] },
  },
  'chart-pie-many': {
    kind: 'chart',
    input: {
      type: 'pie',
      title: 'Fourteen values',
      labels: wave(14, (i) => i).map((i) => `Part ${i}`),
      series: [{ data: wave(14, (i) => 20 - i) }],
    },
  },
  'chart-empty': { kind: 'chart', input: { type: 'bar', series: [] } },
  'chart-coming': { kind: 'chart', input: { type: 'ba' }, writing: true },
  'table-usual': { kind: 'table', input: { title: 'Articles', columns, rows: rows(12) } },
  'table-wide': {
    kind: 'table',
    input: {
      title: 'Many columns',
      rows: wave(8, (r) => r).map((r) =>
        Object.fromEntries(wave(14, (c) => c).map((c) => [`column ${c}`, r * c])),
      ),
    },
  },
  'table-long': { kind: 'table', input: { title: '10 000 articles', columns, rows: rows(10_000) } },
  'table-hostile': { kind: 'table', input: { title: 'Hostile', rows: hostileRows } },
  'table-empty': { kind: 'table', input: { title: 'Nothing', columns, rows: [] } },
  'table-coming': { kind: 'table', input: { title: 'Comi' }, writing: true },
  'table-grows': { kind: 'table', input: { title: 'Grows', columns, rows: [] }, writing: true },
};
