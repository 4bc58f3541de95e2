import type { Column } from './column';
import { cellOf, numberOf, plain } from './values';

// Rows as text for the clipboard: complete values, not truncated ones.

export function asTsv(columns: readonly Column[], rows: readonly unknown[]): string {
  return table(columns, rows, (value) => quoted(value, '\t'))
    .map((row) => row.join('\t'))
    .join('\n');
}

/** RFC 4180. */
export function asCsv(columns: readonly Column[], rows: readonly unknown[]): string {
  return table(columns, rows, (value) => quoted(value, ','))
    .map((row) => `${row.join(',')}\r\n`)
    .join('');
}

export function asMarkdown(columns: readonly Column[], rows: readonly unknown[]): string {
  const [head = [], ...body] = table(columns, rows, markdownCell);
  const rule = columns.map(({ align }) => (align === 'end' ? '---:' : align === 'center' ? ':---:' : '---'));
  return [head, rule, ...body].map((row) => `| ${row.join(' | ')} |`).join('\n');
}

function table(
  columns: readonly Column[],
  rows: readonly unknown[],
  write: (text: string) => string,
): readonly (readonly string[])[] {
  const head = columns.map(({ label }) => write(label));
  return [head, ...rows.map((row) => columns.map((column) => write(plain(cellOf(row, column)))))];
}

function quoted(text: string, mark: string): string {
  const safe = escapeFormula(text);
  return safe.includes(mark) || /["\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** Spreadsheets run text with such a start as a formula; an apostrophe prevents that. */
function escapeFormula(text: string): string {
  return /^[=+\-@\t\r]/.test(text) && Number.isNaN(numberOf(text)) ? `'${text}` : text;
}

function markdownCell(text: string): string {
  return text
    .replace(/[\\|]/g, '\\$&')
    .replace(/</g, '&lt;')
    .replace(/\r\n|[\r\n]/g, '<br>');
}
