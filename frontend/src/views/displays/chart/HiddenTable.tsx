import { memo } from 'react';
import { t } from '../../../i18n';
import { oneLine } from '../../parts/clean';
import { count } from '../../parts/numbers';
import type { ChartTable } from './asTable';

/** Most rows for screen readers; the visible table has all of them. */
const most = 60;

/** The values as a table for screen readers. */
export const HiddenTable = memo(function HiddenTable({
  table,
  caption,
}: {
  table: ChartTable;
  caption: string;
}) {
  const { rows, columns } = table;
  return (
    <table className="visually-hidden">
      <caption>
        {caption === '' ? t('display.chart.plot') : caption}
        {rows.length > most && ` · ${t('display.chart.first', { n: most, of: count(rows.length) })}`}
      </caption>
      <thead>
        <tr>
          {columns.map(({ key, label }) => (
            <th key={key} scope="col">
              {oneLine(label)}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.slice(0, most).map((row, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: rows are identified by position
          <tr key={at}>
            {row.map((cell, i) => (
              <td key={columns[i]?.key}>{typeof cell === 'string' ? oneLine(cell) : cell}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
});
