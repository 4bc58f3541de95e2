import { useEffect, useState } from 'react';
import { t } from '../../i18n';
import { useStore } from '../../state/store';
import { useWeft } from '../../state/weft';
import type { RunMessages } from '../../transport/api';
import { asCommandError, type CommandError } from '../../transport/transport';
import { lines, oneLine } from '../parts/clean';
import { clock, duration, exact, running } from '../parts/numbers';
import { useSeconds } from '../parts/useNow';
import { Side, SideNote } from '../shell/Side';
import { stopWords } from '../transcript/stopWords';
import './members.css';

/** A run: how it stands, and all that it has written, in whichever space. */
export function RunPanel() {
  const weft = useWeft();
  const runId = useStore(weft.store, (state) => state.shownRun);
  const { found, error, again } = useRunMessages(runId);
  return (
    <Side title={t('run.title')} busy={found === null && error === null}>
      {found !== null ? (
        <Found found={found} />
      ) : (
        <SideNote error={error === null ? null : lines(error.message)} onAgain={again} />
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
                  <span className="run-space">{oneLine(spaceTitle) || t('space.untitled')}</span>
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

/** What a run has written; read again while it works, when a space tells that something has changed. */
function useRunMessages(runId: string) {
  const weft = useWeft();
  const [found, setFound] = useState<RunMessages | null>(null);
  const [error, setError] = useState<CommandError | null>(null);
  const [asked, setAsked] = useState(0);
  const works = found?.run.endedAt === 0;
  const signature = useStore(weft.store, ({ spaces }) =>
    works ? spaces.map(({ id, state, lastActivity }) => `${id} ${state} ${lastActivity}`).join('\n') : '',
  );
  // biome-ignore lint/correctness/useExhaustiveDependencies: both are reasons to read again
  useEffect(() => {
    let wanted = true;
    weft.transport.call('RunMessages', { runId }).then(
      (answer) => {
        if (!wanted) return;
        setFound(answer);
        setError(null);
      },
      (failure: unknown) => wanted && setError(asCommandError(failure)),
    );
    return () => {
      wanted = false;
    };
  }, [weft, runId, signature, asked]);
  return {
    // What is shown is what was asked for.
    found: found?.run.id === runId ? found : null,
    error,
    again: () => {
      setError(null);
      setAsked((n) => n + 1);
    },
  };
}
