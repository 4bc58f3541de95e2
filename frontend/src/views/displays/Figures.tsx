import { lazy, Suspense } from 'react';
import { t } from '../../i18n';
import { loadLater } from '../../state/loadLater';
import type { DisplayProps } from './display';

// Tables and charts are large and often unused, so they are loaded on demand.

const TableDisplay = lazy(() => loadLater(() => import('./table/TableDisplay')));
const ChartDisplay = lazy(() => loadLater(() => import('./chart/ChartDisplay')));

export function TableView({ input, phase }: Pick<DisplayProps, 'input' | 'phase'>) {
  return (
    <Suspense fallback={<Loading />}>
      <TableDisplay input={input} writing={phase === 'writing'} />
    </Suspense>
  );
}

export function ChartView({ input, phase }: DisplayProps) {
  return (
    <Suspense fallback={<Loading />}>
      <ChartDisplay input={input} writing={phase === 'writing'} />
    </Suspense>
  );
}

function Loading() {
  return <p className="quiet-text delayed">{t('loading')}</p>;
}
