import { t } from '../../../i18n';
import { dateFormat, number, numberFormat } from '../../../i18n/formats';
import { lines, oneLine } from '../../parts/clean';
import { money } from '../../parts/numbers';
import type { Column, Kind } from './column';

// Values of a table. The tool's input may contain anything.

/** Most characters shown of a cell; copying takes all of it. */
const mostDrawn = 300;
const mostTold = 2000;

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns an own property of a value that may be an object; never one from its prototype. */
export function fieldOf(value: unknown, name: string): unknown {
  return isRecord(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

/** Returns the cell of a row. A row may be an array, or a single value. */
export function cellOf(row: unknown, column: Column): unknown {
  if (Array.isArray(row)) return row[column.index];
  if (isRecord(row)) return fieldOf(row, column.key);
  return column.index === 0 ? row : undefined;
}

const isoDate = /^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?)?$/;

export function kindOf(value: unknown): Kind {
  if (typeof value === 'number') return 'number';
  if (typeof value === 'boolean') return 'boolean';
  return typeof value === 'string' && isoDate.test(value) ? 'date' : 'text';
}

/** Parses a number, including "1,200.50", "€ 12", "12 %" and "(3)"; NaN if it isn't one. */
export function numberOf(value: unknown): number {
  if (typeof value === 'number') return value;
  if (typeof value === 'boolean') return Number(value);
  if (typeof value !== 'string' || value.length > 64) return Number.NaN;
  const bare = value.replace(/[\s\u00a0\u202f'_]|[\p{Sc}%]|\b[A-Z]{3}\b/gu, '').replace('−', '-');
  const [, inner] = /^\((.+)\)$/.exec(bare) ?? [];
  const digits = decimal(inner ?? bare);
  if (!/^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i.test(digits)) return Number.NaN;
  return inner === undefined ? Number(digits) : -Number(digits);
}

/** Removes thousands separators and makes the decimal separator a point. */
function decimal(digits: string): string {
  if (/^[+-]?\d{1,3}(?:,\d{3})+(?:\.\d*)?$/.test(digits)) return digits.replaceAll(',', '');
  if (/^[+-]?\d{1,3}(?:\.\d{3})+,\d*$/.test(digits)) return digits.replaceAll('.', '').replace(',', '.');
  return /^[+-]?\d+,\d+$/.test(digits) ? digits.replace(',', '.') : digits;
}

/** Parses a time in milliseconds; NaN if it isn't one. Numbers are seconds or milliseconds since 1970. */
export function timeOf(value: unknown): number {
  if (typeof value === 'number') return Math.abs(value) < 1e11 ? value * 1000 : value;
  return typeof value === 'string' && value.length < 64 ? Date.parse(value) : Number.NaN;
}

/** The displayed text of a cell, in one line. */
export function shown(value: unknown, column: Column): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'boolean') return t(value ? 'display.table.yes' : 'display.table.no');
  if (column.given && column.kind === 'date') return shownDate(value) ?? cut(value);
  if (typeof value === 'number') return shownNumber(value, column);
  if (column.kind === 'boolean' && (value === 'true' || value === 'false')) {
    return t(value === 'true' ? 'display.table.yes' : 'display.table.no');
  }
  return cut(value);
}

/** More of a truncated cell, for its tooltip. */
export function hiddenText(value: unknown, drawn: string): string | undefined {
  if (typeof value === 'string' && value !== drawn) return lines(value.slice(0, mostTold));
  return drawn.length > 20 ? drawn : undefined;
}

function cut(value: unknown): string {
  const text = plain(value);
  return text.length > mostDrawn ? `${oneLine(text.slice(0, mostDrawn))}…` : oneLine(text);
}

function shownNumber(value: number, { kind, given, currency }: Column): string {
  if (!Number.isFinite(value)) return '';
  if (kind === 'money') {
    return currency === undefined ? number(value, 2) : money(value, currency);
  }
  // A guessed number may be a year or an identifier, so it isn't formatted.
  return given ? grouped(value) : String(value).replace('-', '−');
}

/** Adds thousands separators from five digits on. Keeps all digits. */
function grouped(value: number): string {
  const useGrouping = Math.abs(value) >= 10_000;
  return numberFormat({ useGrouping, maximumFractionDigits: 20 }).format(value).replace('-', '−');
}

function shownDate(value: unknown): string | undefined {
  const at = timeOf(value);
  if (Number.isNaN(at) || Math.abs(at) > 8.64e15) return undefined;
  const wholeDay = typeof value === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(value);
  // A date has no time zone: it must not become the day before in the west.
  return wholeDay
    ? dateFormat({ dateStyle: 'medium', timeZone: 'UTC' }).format(at)
    : dateFormat({ dateStyle: 'medium', timeStyle: 'short' }).format(at);
}

/** The complete value as text, for copying. */
export function plain(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value !== 'object') return String(value);
  try {
    return JSON.stringify(value);
  } catch {
    return '';
  }
}
