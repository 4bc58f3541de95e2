import { t } from '../../i18n';
import type { SpaceState } from '../../transport/api';
import { Spinning } from '../parts/Spinning';

/** The state of a space by shape and color. An idle space has no mark. */
export function StateMark({ state }: { state: SpaceState | 'unseen' }) {
  if (state === 'idle') return <span className="mark" />;
  return (
    <span className="mark" data-state={state}>
      <Spinning on={state === 'running'}>
        <svg viewBox="0 0 12 12" width="12" height="12" aria-hidden="true" focusable="false">
          {state === 'running' && (
            <>
              <circle
                cx="6"
                cy="6"
                r="4"
                fill="none"
                stroke="currentColor"
                strokeOpacity="0.3"
                strokeWidth="1.75"
              />
              <path
                d="M6 2a4 4 0 0 1 4 4"
                fill="none"
                stroke="currentColor"
                strokeWidth="1.75"
                strokeLinecap="round"
              />
            </>
          )}
          {state === 'waiting' && <path d="M6 0.4 11.6 6 6 11.6 0.4 6Z" fill="currentColor" />}
          {state === 'unseen' && <circle cx="6" cy="6" r="3" fill="currentColor" />}
          {state === 'failed' && (
            <path d="m3 3 6 6m0-6-6 6" stroke="currentColor" strokeWidth="1.75" strokeLinecap="round" />
          )}
        </svg>
      </Spinning>
      <span className="visually-hidden">{t(`spaceState.${state}`)}</span>
    </span>
  );
}
