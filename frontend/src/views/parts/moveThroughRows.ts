/** Up and down arrows move the focus from a field into the rows below it, between them, and back. */
export function moveThroughRows(
  event: React.KeyboardEvent,
  field: HTMLElement | null,
  list: HTMLElement | null,
  row: string,
): void {
  if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
  const rows = [...(list?.querySelectorAll<HTMLElement>(row) ?? [])];
  const from = rows.indexOf(event.target as HTMLElement);
  if (from < 0 && event.target !== field) return;
  event.preventDefault();
  const to = from + (event.key === 'ArrowDown' ? 1 : -1);
  (to < 0 ? field : rows[Math.min(to, rows.length - 1)])?.focus();
}
