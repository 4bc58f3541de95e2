import { ChevronsUpDown } from 'lucide-react';
import { t } from '../../i18n';
import { count } from '../parts/numbers';
import { CodeRow } from './CodeRow';
import type { HighlightedSides } from './highlighting';
import type { Row, Sides } from './rows';

interface PlainRowProps {
  row: Row;
  sides: Sides;
  highlighted: HighlightedSides;
  /** The hunk that shortcuts act on. */
  current?: boolean;
  /** Most characters shown of a line. */
  most?: number;
  /** Whether a missing line break at the end matters. */
  ends?: boolean;
  onFold(from: number): void;
}

/** A read-only row of a diff: lines, and folded ranges between them. */
export function PlainRow({ row, sides, onFold, ...rest }: PlainRowProps) {
  switch (row.kind) {
    case 'line':
    case 'pair':
      return <CodeRow row={row} sides={sides} {...rest} />;
    case 'fold':
      return (
        <button type="button" className="change-fold" onClick={() => onFold(row.from)}>
          <ChevronsUpDown size={12} aria-hidden />
          {t('changes.fold', { count: row.lines, n: count(row.lines) })}
        </button>
      );
    default:
      return null;
  }
}
