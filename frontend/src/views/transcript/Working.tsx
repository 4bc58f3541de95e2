import { stopRun } from '../../commands/spaces';
import { t } from '../../i18n';
import { useRunProgress } from '../../queries/runs';
import { useStore } from '../../state/store';
import { useWeft } from '../../state/weft';
import type { Message } from '../../transcript/model';
import type { RunProgress } from '../../transport/api';
import { oneLine } from '../parts/clean';
import { running } from '../parts/numbers';
import { resting } from '../parts/resting';
import { useSeconds } from '../parts/useNow';
import { useReading } from './reading';

/** How long an agent may show nothing before the status says more, in ms. */
const quietLimit = 15_000;

/** The agent has begun and said nothing yet. If that lasts, it says since when, what came last, and what can be done. */
export function Working({ message }: { message: Message }) {
  const { runId } = message;
  const weft = useWeft();
  const { session } = useReading();
  const run = useStore(session.store, ({ conversation }) => conversation.runs.find(({ id }) => id === runId));
  const logOpen = useStore(weft.shown, ({ panel }) => panel === 'log');
  const { data: progress } = useRunProgress(runId);
  const now = useSeconds(true);
  const stopping = run?.stopping === true;
  const since = run?.startedAt ?? message.createdAt;
  const quiet =
    now - Math.max(since, progress?.workedAt ?? 0) >= quietLimit && (run?.waitsFor.length ?? 0) === 0;
  const starting = progress?.phase === 'starting';
  return (
    <div className="row threaded" data-kind="tail">
      <div className="working">
        <span className="shimmer">
          {stopping
            ? t('transcript.stopping')
            : sentenceOf(starting, message.author.name ?? '', quiet, now - since)}
        </span>
        {quiet && (
          <>
            {!starting && <span className="working-seen">{seenOf(progress, now)}</span>}
            <button
              type="button"
              className="text-button"
              {...resting(stopping)}
              onClick={() => void stopRun(weft, session.spaceId, runId)}
            >
              {t('transcript.stop')}
            </button>
            {!logOpen && (
              <button type="button" className="text-button" onClick={() => weft.togglePanel('log')}>
                {t('fix.log')}
              </button>
            )}
          </>
        )}
      </div>
    </div>
  );
}

function sentenceOf(starting: boolean, name: string, quiet: boolean, ms: number): string {
  const agent = oneLine(name || t('transcript.agent'));
  const time = running(ms);
  if (starting)
    return quiet ? t('transcript.startingSince', { agent, time }) : t('transcript.starting', { agent });
  return quiet ? t('transcript.workingSince', { time }) : t('transcript.working');
}

/** What the agent has sent last, and when. */
function seenOf(progress: RunProgress | undefined, now: number): string {
  if (progress === undefined) return '';
  const { seen, seenAt } = progress;
  const time = running(now - seenAt);
  switch (seen) {
    case 'work':
      return t('transcript.seenWork', { time });
    case 'request':
      return t('transcript.seenRequest', { time });
    case 'commands':
      return t('transcript.seenCommands', { time });
    case 'description':
      return t('transcript.seenDescription', { time });
    default:
      return t('transcript.seenNothing');
  }
}
