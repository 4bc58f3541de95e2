import { CircleCheck } from 'lucide-react';
import { t } from '../../i18n';
import type { Pending } from '../../state/inbox';
import { oneLine } from '../parts/clean';
import { exactWords } from '../parts/exact';
import { ago, exact } from '../parts/numbers';
import { pathFrom } from '../parts/paths';
import { titleOf } from '../parts/spaceTitle';
import { Marked } from '../requests/ExactText';
import { StateMark } from '../sidebar/StateMark';
import './pending.css';

/** One thing that waits, in two lines: what it is, and where. */
export function PendingWords({ of, now }: { of: Pending; now: number }) {
  const said = saidOf(of);
  return (
    <>
      {of.kind === 'finished' ? (
        <span className="mark" data-state="finished">
          <CircleCheck size={13} aria-hidden />
        </span>
      ) : (
        <StateMark state={of.kind === 'request' ? 'waiting' : 'failed'} />
      )}
      <What of={of} />
      <time className="pending-time tabular" dateTime={new Date(of.at).toISOString()} title={exact(of.at)}>
        {ago(of.at, now)}
      </time>
      <span className="pending-where">
        {said !== '' && <span>{said} · </span>}
        <bdi>{titleOf(of.space)}</bdi>
      </span>
    </>
  );
}

/** What would be done comes first: what the agent calls it may be something else. */
function What({ of }: { of: Pending }) {
  const { line = '', path = '', writes = false } = of.wait ?? {};
  if (line !== '') {
    return (
      <span className="pending-what mono">
        <Marked text={line} />
      </span>
    );
  }
  if (path === '')
    return (
      <span className="pending-what" dir="auto">
        {whatOf(of)}
      </span>
    );
  return (
    <span className="pending-what">
      {t(writes ? 'request.writes' : 'request.reads')}{' '}
      <code className="mono">
        <Marked text={pathFrom(path, of.space.folder, '')} />
      </code>
    </span>
  );
}

/** What the agent calls it, where something else is first. */
function saidOf({ wait }: Pending): string {
  if (wait === undefined || ((wait.line ?? '') === '' && (wait.path ?? '') === '')) return '';
  return wait.title === wait.line ? '' : exactWords(wait.title);
}

function whatOf({ kind, title, space }: Pending): string {
  if (kind === 'request') return exactWords(title) || t('inbox.asks', { agent: oneLine(space.agentName) });
  return t(`inbox.${kind}`, { agent: oneLine(space.agentName) });
}
