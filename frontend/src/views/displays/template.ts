import { objectOf } from '../../transcript/object';
import type { Json } from '../../transcript/types';

// Evaluates the templates of a tool's `render` like the gateway (backend/gateway/template.go); both are tested with
// backend/gateway/tools/testdata/templates.json.

const placeholder = /\{\{\s*([^{}|]*?)\s*(?:\|\s*([^{}|]*?)\s*)?\}\}/g;
/** A text that is a single placeholder without a format is replaced by the value itself. */
const alone = /^\s*\{\{\s*([^{}|]*?)\s*\}\}\s*$/;
const isNumber = /^-?[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]+)?$/;

/** The values for templates. */
export interface Values {
  args: Json | undefined;
  /** The tool's result, or the user's answer. */
  result: Json | undefined;
}

/** Fills in a template; missing values are omitted. */
function inPlace(template: string, values: Values): string {
  return template.replace(placeholder, (_, path: string, format: string | undefined) =>
    formatted(valueAt(path, values), format ?? ''),
  );
}

const deepest = 8;

/** Fills in all templates inside a value. A text that is a single placeholder becomes its value. */
export function filled(value: Json, values: Values, depth = 0): Json | undefined {
  if (typeof value === 'string') {
    const whole = alone.exec(value);
    return whole === null ? inPlace(value, values) : valueAt(whole[1] ?? '', values);
  }
  if (typeof value !== 'object' || value === null || depth > deepest) return value;
  if (Array.isArray(value)) return value.flatMap((one) => filled(one, values, depth + 1) ?? []);
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, one]) => {
      const made = filled(one, values, depth + 1);
      return made === undefined ? [] : [[name, made]];
    }),
  );
}

/** Reports whether a template in a value refers to the result. */
export function usesResult(value: Json | undefined): boolean {
  if (typeof value === 'string') return /\{\{\s*result\b/.test(value);
  return typeof value === 'object' && value !== null && Object.values(value).some(usesResult);
}

function valueAt(path: string, { args, result }: Values): Json | undefined {
  const parts = path.split('.');
  const [first] = parts;
  let value = first === 'result' ? result : args;
  if (first === 'args' || first === 'result') parts.shift();
  for (const name of parts) {
    if (Array.isArray(value)) value = /^[0-9]+$/.test(name) ? value[Number(name)] : undefined;
    else {
      const of = objectOf(value);
      value = of !== null && Object.hasOwn(of, name) ? of[name] : undefined;
    }
    if (value === undefined) return undefined;
  }
  return value;
}

function formatted(value: Json | undefined, format: string): string {
  const [name, ...more] = format.split(' ');
  const n = numberIn(value);
  if (n !== null) {
    if (name === 'number') return grouped(n);
    if (name === 'money') return money(n, more.join(' ').trim().toUpperCase());
    if (name === 'percent') return `${grouped(Math.floor(n * 1000 + 0.5) / 10)} %`;
  }
  if (name === 'json') return value === undefined ? '' : JSON.stringify(value);
  return plain(value);
}

/** A value as text. */
function plain(value: Json | undefined): string {
  if (value === undefined || value === null) return '';
  if (Array.isArray(value)) return value.map(plain).join(', ');
  if (typeof value === 'object') return JSON.stringify(value);
  return typeof value === 'number' ? decimal(value) : String(value);
}

function numberIn(value: Json | undefined): number | null {
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  return typeof value === 'string' && isNumber.test(value.trim()) ? Number(value) : null;
}

/** A number without an exponent. */
function decimal(n: number): string {
  const text = String(n);
  return text.includes('e')
    ? n.toLocaleString('en-US', { useGrouping: false, maximumFractionDigits: 20 })
    : text;
}

const grouped = (n: number) => withCommas(decimal(n));

function withCommas(text: string): string {
  const [whole = '', rest] = text.split('.');
  const commas = whole.replace(/\B(?=(\d{3})+$)/g, ',');
  return rest === undefined ? commas : `${commas}.${rest}`;
}

const signs: Record<string, string> = {
  '': '$',
  USD: '$',
  EUR: '€',
  GBP: '£',
  JPY: '¥',
  CNY: '¥',
  INR: '₹',
};

function money(n: number, code: string): string {
  const cents = Math.floor(Math.abs(n) * 100 + 0.5);
  const rest = cents % 100;
  const amount =
    withCommas(decimal(Math.floor(cents / 100))) + (rest === 0 ? '' : `.${String(100 + rest).slice(1)}`);
  const sign = n < 0 ? '-' : '';
  return Object.hasOwn(signs, code) ? `${sign}${signs[code]}${amount}` : `${sign}${code} ${amount}`;
}
