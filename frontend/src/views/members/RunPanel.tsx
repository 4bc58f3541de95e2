import { t } from '../../i18n';
import { useRunMessages } from '../../queries/runs';
import { useStore } from '../../state/store';
import { useWeft } from '../../state/weft';
import type { RunMessages } from '../../transport/api';
import { lines, oneLine } from '../parts/clean';
import { clock, duration, exact, running } from '../parts/numbers';
import { useSeconds } from '../parts/useNow';
import { Side, SideNote } from '../shell/Side';
import { stopWords } from '../transcript/stopWords';
import './members.css';

/** A run: its status, and everything it wrote in any space. */
export function RunPanel() {
  const weft = useWeft();
  const runId = useStore(weft.shown, (state) => state.shownRun);
  const { data: found, error, refetch } = useRunMessages(runId);
  return (
    <Side title={t('run.title')} busy={found === undefined && error === null}>
      {found !== undefined ? (
        <Found found={found} />
      ) : (
        <SideNote error={error === null ? null : lines(error.message)} onAgain={() => void refetch()} />
      )}
    </Side>
  );
}

function Found({ found: { run, messages } }: { found: RunMessages }) {
  const weft = useWeft();
  const works = run.endedAt === 0;
  const now = useSeconds(works);
  const said = messages ?? [];
  return (
    <div className="members-body">
      <dl className="facts run-facts">
        <div>
          <dt>{t('run.agent')}</dt>
          <dd>{oneLine(run.agentName)}</dd>
        </div>
        <div>
          <dt>{t('run.state')}</dt>
          <dd>{stateOf(run)}</dd>
        </div>
        <div>
          <dt>{t('run.began')}</dt>
          <dd className="tabular">{exact(run.startedAt)}</dd>
        </div>
        <div>
          <dt>{t('run.took')}</dt>
          <dd className="tabular">
            {works ? running(now - run.startedAt) : duration(run.endedAt - run.startedAt)}
          </dd>
        </div>
      </dl>
      {said.length === 0 ? (
        <p className="side-note">{t('run.nothing')}</p>
      ) : (
        <>
          <h3 className="run-heading">{t('run.messages', { count: said.length })}</h3>
          <ul className="run-messages">
            {said.map(({ spaceId, spaceTitle, messageId, createdAt }) => (
              <li key={`${spaceId} ${messageId}`}>
                <button type="button" className="run-message" onClick={() => weft.goTo(spaceId, messageId)}>
                  <span className="run-space truncate">{oneLine(spaceTitle) || t('space.untitled')}</span>
                  <time
                    className="space-time tabular"
                    dateTime={new Date(createdAt).toISOString()}
                    title={exact(createdAt)}
                  >
                    {clock(createdAt)}
                  </time>
                </button>
              </li>
            ))}
          </ul>
        </>
      )}
    </div>
  );
}

function stateOf({ endedAt, stopReason }: RunMessages['run']): string {
  if (endedAt === 0) return t('members.state.working');
  if (stopReason === '' || stopReason === 'end_turn') return t('run.done');
  return stopReason === 'error' ? t('run.failed') : stopWords(stopReason);
}
