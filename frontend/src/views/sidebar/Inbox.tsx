import { CircleCheck } from 'lucide-react';
import { t } from '../../i18n';
import { inboxOf, type Pending } from '../../state/inbox';
import { useStore } from '../../state/store';
import { useWeft } from '../../state/weft';
import { oneLine } from '../parts/clean';
import { exactWords } from '../parts/exact';
import { ago, exact } from '../parts/numbers';
import { pathFrom } from '../parts/paths';
import { titleOf } from '../parts/spaceTitle';
import { useMinutes } from '../parts/useNow';
import { Marked } from '../requests/ExactText';
import { wantRequest } from '../tools/requests';
import { StateMark } from './StateMark';
import './inbox.css';

/** So many are shown; the others are in their spaces. */
const most = 50;
/** So many a space are told about (docs/api.md); there may be more. */
const told = 20;

/** What waits for the user, across all spaces. Nothing is shown while nothing waits. */
export function Inbox() {
  const weft = useWeft();
  const spaces = useStore(weft.server, (state) => state.spaces);
  const now = useMinutes();
  const pending = inboxOf(spaces);
  if (pending.length === 0) return null;
  return (
    <section className="inbox" aria-labelledby="inbox-title">
      <h2 id="inbox-title" className="inbox-title">
        {t('inbox.title')}
        <span className="inbox-count tabular">
          {pending.length}
          {spaces.some(({ waits }) => (waits?.length ?? 0) >= told) && '+'}
        </span>
      </h2>
      <ul>
        {pending.slice(0, most).map((one) => (
          <li key={one.key}>
            <button
              type="button"
              className="inbox-row"
              onClick={() => {
                wantRequest(one.space.id);
                weft.select(one.space.id);
              }}
            >
              {one.kind === 'finished' ? (
                <span className="mark" data-state="finished">
                  <CircleCheck size={13} aria-hidden />
                </span>
              ) : (
                <StateMark state={one.kind === 'request' ? 'waiting' : 'failed'} />
              )}
              <What of={one} />
              <time
                className="inbox-time tabular"
                dateTime={new Date(one.at).toISOString()}
                title={exact(one.at)}
              >
                {ago(one.at, now)}
              </time>
              <span className="inbox-where">
                {saidOf(one) !== '' && <span className="inbox-said">{saidOf(one)} · </span>}
                {titleOf(one.space)}
              </span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** What would be done comes first: what the agent calls it may be something else. */
function What({ of }: { of: Pending }) {
  const { line = '', path = '', writes = false } = of.wait ?? {};
  if (line !== '') {
    return (
      <span className="inbox-what mono">
        <Marked text={line} />
      </span>
    );
  }
  if (path === '') return <span className="inbox-what">{whatOf(of)}</span>;
  return (
    <span className="inbox-what">
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
