import { useId, useState } from 'react';
import { t } from '../../../i18n';
import { oneLine } from '../../parts/clean';
import { figure, percent } from './figures';
import { type Slice, type Pie as Slices, sliceShape } from './pie';
import { Hatch } from './Swatch';
import { signOf } from './signs';

interface PieProps {
  pie: Slices;
  summary: string;
  /** Index of the slice that the legend points at; -1 for none. */
  pointed: number;
}

export function sliceName({ name, of }: Slice): string {
  return name === '' && of > 1 ? t('display.chart.other', { count: of }) : oneLine(name);
}

/** A donut chart. The middle shows the highlighted slice, or the total. */
export function Pie({ pie, summary, pointed }: PieProps) {
  const id = useId();
  const [over, setOver] = useState(-1);
  const at = over >= 0 ? over : pointed;
  const slice = pie.slices.find(({ place }) => place === at);
  return (
    <div className="chart-pie">
      <svg role="img" aria-label={summary} viewBox="-104 -104 208 208" className="chart-ring">
        {pie.slices.map((one) => (
          <g
            key={one.place}
            className="chart-slice"
            data-faded={(slice !== undefined && slice !== one) || undefined}
            onPointerEnter={() => setOver(one.place)}
            onPointerLeave={() => setOver(-1)}
          >
            <Hatch id={`${id}-${one.place}`} sign={signOf(one.place)} />
            <path
              d={sliceShape(one)}
              fillRule="evenodd"
              style={{ fill: `var(${signOf(one.place).token})` }}
            />
            {signOf(one.place).hatch !== '' && (
              <path d={sliceShape(one)} fillRule="evenodd" fill={`url(#${id}-${one.place})`} />
            )}
          </g>
        ))}
      </svg>
      <div className="chart-middle tabular" aria-hidden>
        <span className="chart-middle-value">
          {slice === undefined ? figure(pie.total) : percent(slice.share)}
        </span>
        <span className="chart-middle-name truncate">
          {slice === undefined ? t('display.chart.total') : `${sliceName(slice)} · ${figure(slice.value)}`}
        </span>
      </div>
    </div>
  );
}
