import { Check, ChevronsUpDown, Undo2 } from 'lucide-react';
import { useMemo } from 'react';
import { t } from '../../i18n';
import { lines as shownText } from '../parts/clean';
import { count } from '../parts/numbers';
import type { Colours, Piece } from './colours';
import type { Cell, Row, Sides } from './rows';
import type { Decision } from './useChanges';
import { changedWords, type Stretch } from './words';

interface DiffRowProps {
  row: Row;
  sides: Sides;
  colours: Colours;
  /** How many hunks there are. */
  of: number;
  current: boolean;
  stuck: boolean;
  onFold(from: number): void;
  onCurrent(hunk: number): void;
  onDecide(decision: Decision, hunk: number): void;
}

export function DiffRow(props: DiffRowProps) {
  const { row, sides, colours, current } = props;
  switch (row.kind) {
    case 'hunk':
      return <HunkHead {...props} hunk={row.hunk} />;
    case 'fold':
      return (
        <button type="button" className="change-fold" onClick={() => props.onFold(row.from)}>
          <ChevronsUpDown size={12} aria-hidden />
          {t('changes.fold', { n: count(row.lines) })}
        </button>
      );
    case 'label':
      return (
        <p className="change-label" data-what={row.what}>
          {t(`changes.${row.what}`)}
        </p>
      );
    case 'now':
      return (
        <div className="change-line" data-type="now">
          <span className="diff-number tabular" aria-hidden>
            {row.line}
          </span>
          <span className="diff-sign">!</span>
          <span className="change-text">{shownText(row.text.replace(/\r?\n$/, '')) || ' '}</span>
        </div>
      );
    case 'line':
      return (
        <div className="change-line" data-type={row.cell.type} data-current={current || undefined}>
          <Line cell={row.cell} sides={sides} colours={colours} />
        </div>
      );
    case 'pair':
      return (
        <div className="change-pair" data-current={current || undefined}>
          {[row.left, row.right].map((cell, side) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: there are two, left and right
            <div key={side} className="change-line" data-type={cell?.type ?? 'none'}>
              {cell !== null && <Line cell={cell} sides={sides} colours={colours} />}
            </div>
          ))}
        </div>
      );
  }
}

function HunkHead({ hunk, sides, of, current, stuck, onCurrent, onDecide }: DiffRowProps & { hunk: number }) {
  const one = sides.hunks[hunk];
  if (one === undefined) return null;
  const n = hunk + 1;
  return (
    <div
      className="change-hunk"
      data-current={current || undefined}
      data-conflict={one.conflict || undefined}
    >
      <button
        type="button"
        className="change-hunk-name tabular"
        aria-current={current ? 'true' : undefined}
        onClick={() => onCurrent(hunk)}
      >
        {t('changes.hunkAt', { n: count(n), of: count(of), line: one.newStart })}
      </button>
      {one.conflict && <span className="change-conflict">{t('changes.conflict')}</span>}
      <span className="grow" />
      <button
        type="button"
        className="text-button"
        aria-label={t('changes.acceptHunk', { n })}
        onClick={() => onDecide('accept', hunk)}
      >
        <Check size={12} aria-hidden />
        {t('changes.accept')}
      </button>
      <button
        type="button"
        className="text-button"
        aria-label={t('changes.rejectHunk', { n })}
        disabled={one.conflict || stuck}
        onClick={() => onDecide('reject', hunk)}
      >
        <Undo2 size={12} aria-hidden />
        {t('changes.reject')}
      </button>
    </div>
  );
}

/** A line longer than this is cut where it is shown. */
const longest = 2000;

function Line({ cell, sides, colours }: { cell: Cell; sides: Sides; colours: Colours }) {
  const raw = sides[cell.side][cell.line] ?? '';
  const twin = cell.twin === null ? null : (sides[cell.side === 'old' ? 'new' : 'old'][cell.twin] ?? null);
  const ending = endingOf(raw);
  const text = raw.slice(0, raw.length - ending.length);
  const marks = useMemo(() => {
    if (cell.type === 'same' || twin === null) return [];
    const other = twin.slice(0, twin.length - endingOf(twin).length);
    return cell.side === 'old' ? changedWords(text, other).old : changedWords(other, text).new;
  }, [cell.type, cell.side, text, twin]);
  const odd = cell.type === 'same' ? '' : oddEnding(ending, twin);
  const shown = text.slice(0, longest);
  return (
    <>
      <span className="diff-number tabular" aria-hidden>
        {cell.line + 1}
      </span>
      <span className="diff-sign">{signs[cell.type]}</span>
      <span className="change-text">
        {shown === '' && odd === '' ? (
          ' '
        ) : (
          <Pieces text={shown} pieces={colours[cell.side][cell.line]} marks={marks} />
        )}
        {text.length > longest && (
          <span className="change-odd"> … {t('changes.longLine', { n: count(text.length - longest) })}</span>
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

/** The text of a line in its colours, with what differs from its twin marked. */
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
  for (const [part, kind] of pieces ?? [[text, undefined] as Piece]) {
    let from = at;
    const end = Math.min(text.length, at + part.length);
    while (from < end) {
      const mark = marks.find((one) => one.from <= from && from < one.to);
      const next = mark === undefined ? marks.find((one) => one.from > from) : undefined;
      const to = Math.min(end, mark?.to ?? next?.from ?? end);
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
