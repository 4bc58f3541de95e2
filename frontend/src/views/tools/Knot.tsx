import { t } from '../../i18n';
import type { Status } from '../../transcript/types';
import { Spinning } from '../parts/Spinning';

/** The state of a tool call as a knot on the thread. Every state has its own shape, so it doesn't depend on color. */
interface KnotProps {
  status: Status;
  label?: boolean;
  /** It was seen, or followed by other text, so it is no longer highlighted. */
  past?: boolean;
}

export function Knot({ status, label = true, past = false }: KnotProps) {
  return (
    <span className="knot" data-status={status} data-past={past || undefined}>
      <Spinning on={status === 'running'}>
        <svg viewBox="0 0 14 14" width="14" height="14" aria-hidden="true" focusable="false">
          {shapes[status]}
        </svg>
      </Spinning>
      {label && <span className="visually-hidden">{t(`status.${status}`)}</span>}
    </span>
  );
}

const shapes: Record<Status, React.ReactNode> = {
  pending: (
    <circle
      cx="7"
      cy="7"
      r="3.5"
      fill="var(--page)"
      stroke="currentColor"
      strokeWidth="1.5"
      strokeDasharray="1.6 1.6"
    />
  ),
  running: (
    <>
      <circle
        cx="7"
        cy="7"
        r="4.25"
        fill="var(--page)"
        stroke="currentColor"
        strokeOpacity="0.3"
        strokeWidth="1.75"
      />
      <path
        d="M7 2.75a4.25 4.25 0 0 1 4.25 4.25"
        fill="none"
        stroke="currentColor"
        strokeWidth="1.75"
        strokeLinecap="round"
      />
    </>
  ),
  waiting: <path d="M7 0.9 13.1 7 7 13.1 0.9 7Z" fill="currentColor" />,
  completed: <circle cx="7" cy="7" r="3.75" fill="currentColor" />,
  failed: (
    <>
      <rect x="2.25" y="2.25" width="9.5" height="9.5" rx="2" fill="currentColor" />
      <path d="m5 5 4 4m0-4-4 4" stroke="var(--page)" strokeWidth="1.5" strokeLinecap="round" />
    </>
  ),
  cancelled: (
    <>
      <circle cx="7" cy="7" r="3.75" fill="var(--page)" stroke="currentColor" strokeWidth="1.5" />
      <path d="M4.4 9.6 9.6 4.4" stroke="currentColor" strokeWidth="1.5" />
    </>
  ),
  rejected: (
    <>
      <circle cx="7" cy="7" r="4" fill="var(--page)" stroke="currentColor" strokeWidth="1.5" />
      <path d="M5 7h4" stroke="currentColor" strokeWidth="1.5" strokeLinecap="round" />
    </>
  ),
};
