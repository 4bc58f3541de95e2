import { ChevronsUpDown } from 'lucide-react';
import { t } from '../../i18n';
import { count } from '../parts/numbers';
import { CodeRow } from './CodeRow';
import type { Colours } from './colours';
import type { Row, Sides } from './rows';

interface PlainRowProps {
  row: Row;
  sides: Sides;
  colours: Colours;
  /** The hunk that the keys are for. */
  current?: boolean;
  /** Characters of a line that are shown. */
  most?: number;
  /** Whether a missing line break at the end says something. */
  ends?: boolean;
  onFold(from: number): void;
}

/** A row of a diff that nothing is decided about: lines, and what is folded between them. */
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
    case 'hunk':
      return (
        <p className="change-at tabular">
          {t('request.atLine', {
            line: count((sides.hunks[row.hunk]?.newStart ?? 0) + (sides.first ?? 1) - 1),
          })}
        </p>
      );
    default:
      return null;
  }
}
