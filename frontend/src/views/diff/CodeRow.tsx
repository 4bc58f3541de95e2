import { useMemo } from 'react';
import { t } from '../../i18n';
import { lines as shownText } from '../parts/clean';
import { endOfEmoji } from '../parts/emoji';
import { count } from '../parts/numbers';
import type { HighlightedSides, Piece } from './highlighting';
import type { Cell, Row, Sides } from './rows';
import { changedWords, type Span } from './words';
import './diff.css';

/** Longer lines are truncated. */
const longest = 2000;

interface CodeRowProps {
  row: Extract<Row, { kind: 'line' | 'pair' }>;
  sides: Sides;
  highlighted: HighlightedSides;
  current?: boolean;
  /** Most characters shown of a line. */
  most?: number;
  /** Whether a missing line break at the end matters. */
  ends?: boolean;
}

/** A line of a diff, or two side by side, with syntax highlighting and changed words marked. */
export function CodeRow({
  row,
  sides,
  highlighted,
  current = false,
  most = longest,
  ends = true,
}: CodeRowProps) {
  const line = (cell: Cell | null, key: string) => (
    <div
      key={key}
      className="change-line"
      data-type={cell?.type ?? 'none'}
      {...(cell !== null && cell.type !== 'same' && seenAttributes(cell, sides, most))}
      {...(row.kind === 'line' && { 'data-current': current || undefined })}
    >
      {cell !== null && <Line cell={cell} sides={sides} highlighted={highlighted} most={most} ends={ends} />}
    </div>
  );
  if (row.kind === 'line') return line(row.cell, 'line');
  return (
    <div className="change-pair" data-current={current || undefined}>
      {line(row.left, 'left')}
      {line(row.right, 'right')}
    </div>
  );
}

/** The attributes by which a request counts a changed line as seen: see views/requests/seen.ts. */
function seenAttributes({ side, line }: Cell, sides: Sides, most: number) {
  return { 'data-chars': Math.min(most, sides[side][line]?.length ?? 0), 'data-lines': 1 };
}

function Line({
  cell,
  sides,
  highlighted,
  most,
  ends,
}: {
  cell: Cell;
  sides: Sides;
  highlighted: HighlightedSides;
  most: number;
  ends: boolean;
}) {
  const raw = sides[cell.side][cell.line] ?? '';
  const twin = cell.twin === null ? null : (sides[cell.side === 'old' ? 'new' : 'old'][cell.twin] ?? null);
  const ending = endingOf(raw);
  const text = raw.slice(0, raw.length - ending.length);
  const marks = useMemo(() => {
    if (cell.type === 'same' || twin === null) return [];
    const other = twin.slice(0, twin.length - endingOf(twin).length);
    return cell.side === 'old' ? changedWords(text, other).old : changedWords(other, text).new;
  }, [cell.type, cell.side, text, twin]);
  const odd = cell.type === 'same' || (!ends && ending === '') ? '' : oddEnding(ending, twin);
  const shown = text.slice(0, most);
  return (
    <>
      <span className="diff-number tabular" aria-hidden>
        {cell.line + (sides.first ?? 1)}
      </span>
      <span className="diff-sign">{signs[cell.type]}</span>
      <span className="change-text">
        {shown === '' && odd === '' ? (
          ' '
        ) : (
          <Pieces text={shown} pieces={highlighted[cell.side][cell.line]} marks={marks} />
        )}
        {text.length > most && (
          <span
            className="change-unusual"
            {...(cell.type !== 'same' && { 'data-chars': text.length - most, 'data-shut': '' })}
          >
            {' '}
            … {t('changes.longLine', { n: count(text.length - most) })}
          </span>
        )}
        {odd !== '' && <span className="change-unusual">{odd}</span>}
      </span>
    </>
  );
}

const signs = { same: ' ', removed: '−', added: '+' };

function endingOf(line: string): string {
  return line.endsWith('\r\n') ? '\r\n' : line.endsWith('\n') ? '\n' : '';
}

/** Describes a line ending, if only that changed. */
function oddEnding(ending: string, twin: string | null): string {
  if (ending === '') return ` ⊘ ${t('changes.noNewline')}`;
  if (twin === null || endingOf(twin) === ending) return '';
  return ending === '\r\n' ? '␍␊' : '␊';
}

/** The highlighted text of a line, with the differences from its counterpart marked. */
function Pieces({
  text,
  pieces,
  marks,
}: {
  text: string;
  pieces: readonly Piece[] | undefined;
  marks: readonly Span[];
}) {
  const out: React.ReactNode[] = [];
  let at = 0;
  let from = 0;
  for (const [part, kind] of pieces ?? [[text, undefined] as Piece]) {
    const end = Math.min(text.length, at + part.length);
    while (from < end) {
      const mark = marks.find((one) => one.from <= from && from < one.to);
      const next = mark === undefined ? marks.find((one) => one.from > from) : undefined;
      const to = endOfEmoji(text, Math.min(end, mark?.to ?? next?.from ?? end));
      const classes = [kind === undefined ? '' : `tok-${kind}`, mark === undefined ? '' : 'change-mark'];
      const name = classes.filter((one) => one !== '').join(' ');
      const shown = shownText(text.slice(from, to));
      out.push(
        name === '' ? (
          shown
        ) : (
          <span key={from} className={name}>
            {shown}
          </span>
        ),
      );
      from = to;
    }
    at = end;
  }
  return out;
}
