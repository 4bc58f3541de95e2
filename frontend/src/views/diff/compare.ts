// A line diff for display: Myers' algorithm with a limit, and hunks around the changes.

export interface DiffLine {
  type: 'same' | 'added' | 'removed';
  text: string;
  before: number | null;
  after: number | null;
}

export interface Hunk {
  lines: DiffLine[];
}

const context = 3;
/** With more edits than this, the text is shown as one block replaced by another. */
const mostEdits = 800;

/** Compares two texts line by line; `first` is the number of their first line. */
export function diffLines(oldText: string, newText: string, first = 1): DiffLine[] {
  const a = split(oldText);
  const b = split(newText);
  const out: DiffLine[] = [];
  let x = 0;
  let y = 0;
  for (const type of compared(a, b)) {
    const before = type === 'added' ? null : first + x;
    const after = type === 'removed' ? null : first + y;
    out.push({ type, text: (type === 'added' ? b[y] : a[x]) ?? '', before, after });
    if (before !== null) x++;
    if (after !== null) y++;
  }
  return out;
}

/** Returns what happens to each line between two lists of lines, in their merged order. */
export function compared(a: readonly string[], b: readonly string[]): DiffLine['type'][] {
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start++;
  let end = 0;
  while (end < a.length - start && end < b.length - start && a[a.length - 1 - end] === b[b.length - 1 - end])
    end++;
  const same = (n: number) => Array<DiffLine['type']>(n).fill('same');
  return [
    ...same(start),
    ...edits(a.slice(start, a.length - end), b.slice(start, b.length - end)),
    ...same(end),
  ];
}

function split(text: string): string[] {
  if (text === '') return [];
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

function edits(a: readonly string[], b: readonly string[]): DiffLine['type'][] {
  const replaced = (): DiffLine['type'][] => [
    ...a.map(() => 'removed' as const),
    ...b.map(() => 'added' as const),
  ];
  if (a.length === 0 || b.length === 0) return replaced();
  const most = Math.min(a.length + b.length, mostEdits);
  const trace: Int32Array[] = [];
  const v = new Int32Array(2 * most + 3);
  const zero = most + 1;
  for (let d = 0; d <= most; d++) {
    trace.push(v.slice());
    for (let k = -d; k <= d; k += 2) {
      const down = k === -d || (k !== d && at(v, zero + k - 1) < at(v, zero + k + 1));
      let x = down ? at(v, zero + k + 1) : at(v, zero + k - 1) + 1;
      let y = x - k;
      while (x < a.length && y < b.length && a[x] === b[y]) {
        x++;
        y++;
      }
      v[zero + k] = x;
      if (x >= a.length && y >= b.length) return path(trace, a.length, b.length, zero);
    }
  }
  return replaced();
}

function path(trace: readonly Int32Array[], n: number, m: number, zero: number): DiffLine['type'][] {
  const out: DiffLine['type'][] = [];
  let x = n;
  let y = m;
  for (let d = trace.length - 1; d >= 0; d--) {
    const v = trace[d] as Int32Array;
    const k = x - y;
    const down = k === -d || (k !== d && at(v, zero + k - 1) < at(v, zero + k + 1));
    const before = down ? k + 1 : k - 1;
    const px = d === 0 ? 0 : at(v, zero + before);
    const py = d === 0 ? 0 : px - before;
    while (x > px && y > py) {
      out.push('same');
      x--;
      y--;
    }
    if (d === 0) break;
    out.push(down ? 'added' : 'removed');
    x = px;
    y = py;
  }
  return out.reverse();
}

function at(v: Int32Array, i: number): number {
  return v[i] ?? 0;
}

/** The changes with a few lines of context. */
export function hunks(lines: readonly DiffLine[]): Hunk[] {
  const out: Hunk[] = [];
  let end = -1;
  for (const [i, { type }] of lines.entries()) {
    if (type === 'same') continue;
    const from = Math.max(0, i - context);
    const to = Math.min(lines.length, i + context + 1);
    const last = out.at(-1);
    if (last === undefined || from > end) out.push({ lines: lines.slice(from, to) });
    else last.lines.push(...lines.slice(end, to));
    end = to;
  }
  return out;
}
