import { CircleCheck } from 'lucide-react';
import { t } from '../../i18n';
import type { InboxItem } from '../../state/inbox';
import { oneLine } from '../parts/clean';
import { exactWords } from '../parts/exact';
import { ago, exact } from '../parts/numbers';
import { pathFrom } from '../parts/paths';
import { titleOf } from '../parts/spaceTitle';
import { Marked } from '../requests/ExactText';
import { StateMark } from '../sidebar/StateMark';
import './pending.css';

/** An inbox item in two lines: what it is, and where. */
export function InboxItemLines({ of, now }: { of: InboxItem; now: number }) {
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
      <ItemAction of={of} />
      <time className="pending-time tabular" dateTime={new Date(of.at).toISOString()} title={exact(of.at)}>
        {ago(of.at, now)}
      </time>
      <span className="pending-where truncate">
        {said !== '' && <span>{said} · </span>}
        <bdi>{titleOf(of.space)}</bdi>
      </span>
    </>
  );
}

/** The action comes first: the agent's title may say something else. */
function ItemAction({ of }: { of: InboxItem }) {
  const { line = '', path = '', writes = false } = of.wait ?? {};
  if (line !== '') {
    return (
      <span className="pending-what mono truncate">
        <Marked text={line} />
      </span>
    );
  }
  if (path === '')
    return (
      <span className="pending-what truncate" dir="auto">
        {whatOf(of)}
      </span>
    );
  return (
    <span className="pending-what truncate">
      {t(writes ? 'request.writes' : 'request.reads')}{' '}
      <code className="mono">
        <Marked text={pathFrom(path, of.space.folder, '')} />
      </code>
    </span>
  );
}

/** The agent's title, if something else comes first. */
function saidOf({ wait }: InboxItem): string {
  if (wait === undefined || ((wait.line ?? '') === '' && (wait.path ?? '') === '')) return '';
  return wait.title === wait.line ? '' : exactWords(wait.title);
}

function whatOf({ kind, title, space }: InboxItem): string {
  if (kind === 'request') return exactWords(title) || t('inbox.asks', { agent: oneLine(space.agentName) });
  return t(`inbox.${kind}`, { agent: oneLine(space.agentName) });
}
