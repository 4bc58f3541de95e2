/** What a measuring program is told, and what it says: one JSON object a line for each row of the table. */
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';

const { values } = parseArgs({
  options: {
    weft: { type: 'string', default: 'build/bin/weft' },
    quick: { type: 'boolean', default: false },
  },
});

/** The built program, and whether to measure less. */
export const weftPath = values.weft;
export const quick = values.quick;

// Whoever is asked to end ends what was started too: see the listeners for 'exit'.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => process.exit(130));

export function row(name, value, want, ok) {
  process.stdout.write(`${JSON.stringify({ name, value, want, ok })}\n`);
  if (ok === false) process.exitCode = 1;
}

/** Says something that is no row. */
export function note(text) {
  process.stderr.write(`        ${text}\n`);
}

/**
 * How busy the machine is from now until the answer is asked for: the share of the time in which something
 * that could run had to wait for a processor. Figures in wall time mean little where it is high.
 */
export function watchMachine() {
  const began = performance.now();
  const before = waited();
  return () => {
    const share = (waited() - before) / (performance.now() - began) / 1000;
    return Number.isNaN(share) ? 'load unknown' : `processors short ${Math.round(share * 100)} % of the time`;
  };
}

function waited() {
  try {
    return Number(/some .*total=(\d+)/.exec(readFileSync('/proc/pressure/cpu', 'utf8'))?.[1]);
  } catch {
    return Number.NaN;
  }
}

export function percentile(values, p) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor((sorted.length * p) / 100))] ?? Number.NaN;
}

export function round(value, digits = 1) {
  return Number(value.toFixed(digits));
}

export function sum(values) {
  return values.reduce((a, b) => a + b, 0);
}
