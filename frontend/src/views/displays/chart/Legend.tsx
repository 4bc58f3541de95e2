import { t } from '../../../i18n';
import type { ChartType } from './model';
import { Swatch } from './Swatch';
import { signOf } from './signs';

export interface Entry {
  readonly place: number;
  /** All slices that it toggles. */
  readonly places: readonly number[];
  readonly name: string;
  /** A value beside the name. */
  readonly value?: string;
}

interface LegendProps {
  type: ChartType;
  entries: readonly Entry[];
  hidden: ReadonlySet<number>;
  onToggle(places: readonly number[]): void;
  onPoint?(place: number): void;
}

/** The legend; each entry is a toggle. */
export function Legend({ type, entries, hidden, onToggle, onPoint }: LegendProps) {
  return (
    <ul className="chart-legend" data-type={type} aria-label={t('display.chart.legend')}>
      {entries.map(({ place, places, name, value }) => (
        <li key={place}>
          <button
            type="button"
            className="chart-entry"
            aria-pressed={!hidden.has(place)}
            onClick={() => onToggle(places)}
            onPointerEnter={() => onPoint?.(place)}
            onPointerLeave={() => onPoint?.(-1)}
            onFocus={() => onPoint?.(place)}
            onBlur={() => onPoint?.(-1)}
          >
            <Swatch sign={signOf(place)} type={type} />
            <span className="chart-entry-name truncate" title={name}>
              {name}
            </span>
            {value !== undefined && <span className="chart-entry-value tabular">{value}</span>}
          </button>
        </li>
      ))}
    </ul>
  );
}
