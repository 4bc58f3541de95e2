import { t } from '../../i18n';
import { statusOf } from '../../transcript/status';
import type { Json, Status } from '../../transcript/types';
import { oneLine } from '../parts/clean';
import { count } from '../parts/numbers';
import { Knot } from '../tools/Knot';
import type { DisplayProps } from './display';
import { fieldsIn, line } from './read';

const most = 200;

/** Progress as a bar, steps, or both. */
export function Progress({ input, phase }: DisplayProps) {
  const steps = fieldsIn(input['steps']);
  const percent = percentOf(input['percent']);
  // An ended call has no spinner, whatever its last status.
  const over = phase === 'cancelled' || phase === 'failed' || phase === 'expired';
  return (
    <>
      {percent !== null && (
        <div className="display-progress">
          <div
            className="display-bar"
            role="progressbar"
            aria-label={line(input['title']) || t('displays.kind.showProgress')}
            aria-valuemin={0}
            aria-valuemax={100}
            aria-valuenow={percent}
          >
            <span style={{ inlineSize: `${percent}%` }} />
          </div>
          <span className="tabular quiet-text">{t('displays.percent', { n: percent })}</span>
        </div>
      )}
      {steps.length > 0 && (
        <ol className="display-steps">
          {steps.slice(0, most).map((step, i) => {
            const state = stateOf(step['status']);
            return (
              // biome-ignore lint/suspicious/noArrayIndexKey: they only grow at their end
              <li key={i} data-status={state}>
                <Knot status={over && state === 'running' ? 'cancelled' : state} />
                <span>{oneLine(line(step['label']))}</span>
              </li>
            );
          })}
        </ol>
      )}
      {steps.length > most && (
        <p className="quiet-text">{t('displays.moreSteps', { n: count(steps.length - most) })}</p>
      )}
    </>
  );
}

function stateOf(status: Json | undefined): Status {
  return (typeof status === 'string' && statusOf(status)) || 'pending';
}

function percentOf(value: Json | undefined): number | null {
  if (typeof value !== 'number' || !Number.isFinite(value)) return null;
  return Math.round(Math.min(100, Math.max(0, value)));
}
