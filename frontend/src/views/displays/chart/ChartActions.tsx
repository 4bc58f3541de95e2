import { type RefObject, useState } from 'react';
import { t } from '../../../i18n';
import { copyText } from '../../../markdown/copyText';
import { showFailure } from '../../../state/notify';
import { Columns } from '../table/columns';
import { asCsv } from '../table/copy';
import type { ChartTable } from './asTable';
import type { Chart } from './model';
import { copyPicture } from './picture';
import type { ShownChart } from './useShown';

interface ChartActionsProps {
  chart: Chart;
  shown: ShownChart;
  table: ChartTable;
  asRows: boolean;
  onAsRows(asRows: boolean): void;
  root: RefObject<HTMLElement | null>;
}

export function ChartActions({ chart, shown, table, asRows, onAsRows, root }: ChartActionsProps) {
  const [done, setDone] = useState('');
  const act = async (copy: () => Promise<'copied' | 'saved'>) => {
    try {
      setDone(t(`display.chart.${await copy()}`));
    } catch (error) {
      showFailure(t('display.chart.notCopied'), error);
    }
  };
  const button = (words: string, onClick: () => void) => (
    <button type="button" className="button plain small" onClick={onClick} onBlur={() => setDone('')}>
      {words}
    </button>
  );
  return (
    <div className="chart-actions">
      <output className="quiet-text">{done}</output>
      {button(t(asRows ? 'display.chart.chart' : 'display.chart.table'), () => onAsRows(!asRows))}
      {button(
        t('display.chart.csv'),
        () =>
          void act(async () => {
            await copyText(asCsv(new Columns().read(table.columns, table.rows, false), table.rows));
            return 'copied';
          }),
      )}
      {!asRows &&
        button(
          t('display.chart.png'),
          () =>
            void act(async () => {
              if (root.current === null) throw new Error(t('display.chart.empty'));
              return await copyPicture(root.current, chart, shown);
            }),
        )}
    </div>
  );
}
