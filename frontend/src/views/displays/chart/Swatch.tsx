import { useId } from 'react';
import type { ChartType } from './model';
import type { Sign } from './signs';

/** The marker of a series beside its name, as drawn in the chart. */
export function Swatch({ sign, type }: { sign: Sign; type: ChartType }) {
  const id = useId();
  const style = { color: `var(${sign.token})` };
  if (type === 'bar' || type === 'pie') {
    return (
      <svg className="chart-swatch" width="14" height="14" viewBox="0 0 14 14" aria-hidden style={style}>
        <Hatch id={id} sign={sign} />
        <rect width="14" height="14" rx="3" fill="currentColor" />
        {sign.hatch !== '' && <rect width="14" height="14" rx="3" fill={`url(#${id})`} />}
      </svg>
    );
  }
  return (
    <svg className="chart-swatch" width="26" height="14" viewBox="0 0 26 14" aria-hidden style={style}>
      {type !== 'scatter' && (
        <path d="M0 7H26" stroke="currentColor" strokeWidth="2" strokeDasharray={sign.dash.join(' ')} />
      )}
      <path d={sign.marker} transform="translate(13 7) scale(3.8)" fill="currentColor" />
    </svg>
  );
}

/** The hatching as an SVG pattern. */
export function Hatch({ id, sign }: { id: string; sign: Sign }) {
  if (sign.hatch === '') return null;
  return (
    <pattern id={id} width="8" height="8" patternUnits="userSpaceOnUse">
      <path d={sign.hatch} className="chart-hatch" />
    </pattern>
  );
}
