/**
 * Tables and charts to look at, and to measure: ?theme=dark&density=compact&scale=120&only=NAME. The page may set
 * what a display shows by `window.__show(name, input, writing)`.
 */
import { lazy, Suspense, useSyncExternalStore } from 'react';
import { createRoot } from 'react-dom/client';
import { samples } from './displays-samples';
import './displays-page.css';

const ChartDisplay = lazy(() => import('../src/views/displays/chart/ChartDisplay'));
const TableDisplay = lazy(() => import('../src/views/displays/table/TableDisplay'));

interface Sample {
  kind: 'chart' | 'table';
  input: unknown;
  writing?: boolean;
}

declare global {
  interface Window {
    __show: (name: string, input: unknown, writing: boolean) => void;
  }
}

const parameters = new URLSearchParams(location.search);
const root = document.documentElement;
root.dataset['theme'] = parameters.get('theme') ?? 'light';
root.dataset['density'] = parameters.get('density') ?? 'comfortable';
root.style.fontSize = `${(16 * Number(parameters.get('scale') ?? 100)) / 100}px`;
const only = parameters.get('only');

let shown: Readonly<Record<string, Sample>> = Object.fromEntries(
  Object.entries(samples).filter(([name]) => only === null || name.startsWith(only)),
);
const heard = new Set<() => void>();
window.__show = (name, input, writing) => {
  const before = shown[name];
  if (before === undefined) throw new Error(`There is no ${name}.`);
  shown = { ...shown, [name]: { ...before, input, writing } };
  for (const hear of heard) hear();
};

function Page() {
  const all = useSyncExternalStore(
    (hear) => {
      heard.add(hear);
      return () => heard.delete(hear);
    },
    () => shown,
  );
  return (
    <main className="samples">
      <h1 className="visually-hidden">Tables and charts</h1>
      <Suspense>
        {Object.entries(all).map(([name, { kind, input, writing = false }]) => (
          <div key={name} data-name={name}>
            {kind === 'chart' ? (
              <ChartDisplay input={input} writing={writing} />
            ) : (
              <TableDisplay input={input} writing={writing} />
            )}
          </div>
        ))}
      </Suspense>
    </main>
  );
}

const element = document.getElementById('root');
if (element !== null) createRoot(element).render(<Page />);
