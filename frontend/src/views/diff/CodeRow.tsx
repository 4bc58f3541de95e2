import { useMemo } from 'react';
import { t } from '../../i18n';
import { lines as shownText } from '../parts/clean';
import { pastEmoji } from '../parts/emoji';
import { count } from '../parts/numbers';
import type { Colours, Piece } from './colours';
import type { Cell, Row, Sides } from './rows';
import { changedWords, type Stretch } from './words';
import './diff.css';

/** A line longer than this is cut where it is shown. */
const longest = 2000;

interface CodeRowProps {
  row: Extract<Row, { kind: 'line' | 'pair' }>;
  sides: Sides;
  colours: Colours;
  current?: boolean;
  /** Characters of a line that are shown. */
  most?: number;
  /** Whether a missing line break at the end says something. */
  ends?: boolean;
}

/** A line of a diff, or two side by side: in the colors of its language, with the words that changed marked. */
export function CodeRow({ row, sides, colours, current = false, most = longest, ends = true }: CodeRowProps) {
  const line = (cell: Cell | null, key: string) => (
    <div
      key={key}
      className="change-line"
      data-type={cell?.type ?? 'none'}
      {...(cell !== null && cell.type !== 'same' && acts(cell, sides, most))}
      {...(row.kind === 'line' && { 'data-current': current || undefined })}
    >
      {cell !== null && <Line cell={cell} sides={sides} colours={colours} most={most} ends={ends} />}
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

/** What a request counts of a changed line: see views/requests/seen.ts. */
function acts({ side, line }: Cell, sides: Sides, most: number) {
  return { 'data-chars': Math.min(most, sides[side][line]?.length ?? 0), 'data-lines': 1 };
}

function Line({
  cell,
  sides,
  colours,
  most,
  ends,
}: {
  cell: Cell;
  sides: Sides;
  colours: Colours;
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
          <Pieces text={shown} pieces={colours[cell.side][cell.line]} marks={marks} />
        )}
        {text.length > most && (
          <span
            className="change-odd"
            {...(cell.type !== 'same' && { 'data-chars': text.length - most, 'data-shut': '' })}
          >
            {' '}
            … {t('changes.longLine', { n: count(text.length - most) })}
          </span>
        )}
        {odd !== '' && <span className="change-odd">{odd}</span>}
      </span>
    </>
  );
}

const signs = { same: ' ', removed: '−', added: '+' };

function endingOf(line: string): string {
  return line.endsWith('\r\n') ? '\r\n' : line.endsWith('\n') ? '\n' : '';
}

/** How a line ends, where that is what changed. */
function oddEnding(ending: string, twin: string | null): string {
  if (ending === '') return ` ⊘ ${t('changes.noNewline')}`;
  if (twin === null || endingOf(twin) === ending) return '';
  return ending === '\r\n' ? '␍␊' : '␊';
}

/** The text of a line in its colors, with what differs from its twin marked. */
function Pieces({
  text,
  pieces,
  marks,
}: {
  text: string;
  pieces: readonly Piece[] | undefined;
  marks: readonly Stretch[];
}) {
  const out: React.ReactNode[] = [];
  let at = 0;
  let from = 0;
  for (const [part, kind] of pieces ?? [[text, undefined] as Piece]) {
    const end = Math.min(text.length, at + part.length);
    while (from < end) {
      const mark = marks.find((one) => one.from <= from && from < one.to);
      const next = mark === undefined ? marks.find((one) => one.from > from) : undefined;
      const to = pastEmoji(text, Math.min(end, mark?.to ?? next?.from ?? end));
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
