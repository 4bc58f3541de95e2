import { t } from '../../i18n';
import { structureOf, structureText } from '../../markdown';
import { oneLine, wholeLine } from '../parts/clean';

/** A selection in a transcript, and its origin. */
export interface Selected {
  range: Range;
  /** The author. */
  who: string;
  diff: HTMLElement | null;
}

/** Returns the selection if it is in this transcript. */
export function selectedIn(scroller: HTMLElement): Selected | null {
  const selection = document.getSelection();
  if (selection === null || selection.rangeCount === 0 || selection.isCollapsed) return null;
  const range = selection.getRangeAt(0);
  const start = elementOf(range.startContainer);
  if (start === null || !scroller.contains(start) || selection.toString().trim() === '') return null;
  const end = elementOf(range.endContainer);
  const diff = start.closest<HTMLElement>('.diff');
  return {
    range,
    who: start.closest<HTMLElement>('[data-by]')?.dataset['by'] ?? '',
    diff: diff !== null && end !== null && diff.contains(end) ? diff : null,
  };
}

/** Formats the selection as a Markdown quote with its origin. */
export function quoteOf({ range, who, diff }: Selected): string {
  const whom = oneLine(who);
  if (diff === null) {
    return quoted(whom === '' ? '' : `${whom}:`, structureText(structureOf(range), true).trimEnd());
  }
  const rows = [...diff.querySelectorAll<HTMLElement>('.change-line')].filter((row) =>
    range.intersectsNode(row),
  );
  const numbers = rows.map((row) => Number(row.querySelector('.diff-number')?.textContent)).filter(Boolean);
  const from = Math.min(...numbers);
  const to = Math.max(...numbers);
  const place = { who: whom, path: wholeLine(diff.dataset['path'] ?? ''), from, to };
  const origin =
    numbers.length === 0
      ? t('quote.diff', place)
      : from === to
        ? t('quote.diffLine', place)
        : t('quote.diffLines', place);
  const lines = rows.map((row) => {
    const sign = row.dataset['type'] === 'added' ? '+' : row.dataset['type'] === 'removed' ? '-' : ' ';
    return sign + textOf(row.querySelector('.change-text'));
  });
  // Longer than any fence inside.
  const fence = '`'.repeat(Math.max(3, ...lines.map((line) => (/`{3,}/.exec(line)?.[0].length ?? 0) + 1)));
  return quoted(`${origin}:`, [`${fence}diff`, ...lines, fence].join('\n'));
}

/** A line without decoration. */
function textOf(line: Element | null): string {
  const said = line?.querySelector('.change-unusual')?.textContent ?? '';
  const text = line?.textContent ?? '';
  return said === '' ? text : text.slice(0, text.lastIndexOf(said));
}

function quoted(origin: string, text: string): string {
  const lines = [...(origin === '' ? [] : [origin, '']), ...text.split('\n')];
  return `${lines.map((line) => (line.trim() === '' ? '>' : `> ${line}`)).join('\n')}\n\n`;
}

function elementOf(node: Node): Element | null {
  return node instanceof Element ? node : node.parentElement;
}
