import { Check, Undo2 } from 'lucide-react';
import { t } from '../../i18n';
import type { HighlightedSides } from '../diff/highlighting';
import { PlainRow } from '../diff/PlainRow';
import type { Row, Sides } from '../diff/rows';
import { lines as shownText } from '../parts/clean';
import { count } from '../parts/numbers';
import type { Decision } from './useChanges';

interface DiffRowProps {
  row: Row;
  sides: Sides;
  colours: HighlightedSides;
  /** Total number of hunks. */
  of: number;
  current: boolean;
  stuck: boolean;
  onFold(from: number): void;
  onCurrent(hunk: number): void;
  onDecide?(decision: Decision, hunk: number): void;
}

export function DiffRow(props: DiffRowProps) {
  const { row, sides, colours, current } = props;
  switch (row.kind) {
    case 'hunk':
      return <HunkHead {...props} hunk={row.hunk} />;
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
    default:
      return (
        <PlainRow row={row} sides={sides} highlighted={colours} current={current} onFold={props.onFold} />
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
      {onDecide !== undefined && (
        <>
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
        </>
      )}
    </div>
  );
}
