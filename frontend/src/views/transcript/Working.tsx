import { type ReactNode, useRef } from 'react';
import { stopRun } from '../../commands/spaces';
import { t } from '../../i18n';
import { quietLimit, useRunProgress } from '../../queries/runs';
import { useStore } from '../../state/store';
import { useWeft } from '../../state/weft';
import { type Message, workedFor } from '../../transcript/model';
import { isHidden } from '../../transcript/visibility';
import type { RunProgress } from '../../transport/api';
import { oneLine } from '../parts/clean';
import { inactiveWhile } from '../parts/inactiveWhile';
import { running } from '../parts/numbers';
import { useSeconds } from '../parts/useNow';
import { useReading } from './reading';

/**
 * The agent has started but sent nothing yet. After a while, shows how long, the last activity, and what the user can
 * do.
 */
export function Working({ message }: { message: Message }) {
  const { run, worked, now, progress, quiet } = useQuiet(message);
  const starting = progress?.phase === 'starting';
  return (
    <div className="row threaded" data-kind="tail">
      <div className="working">
        <Shimmer stopping={run?.stopping === true}>
          {sentenceOf(starting, message.author.name ?? '', quiet, worked)}
        </Shimmer>
        {quiet && !starting && <span className="working-seen">{seenOf(progress, now)}</span>}
        {quiet && <QuietActions runId={message.runId} stopping={run?.stopping === true} />}
      </div>
    </div>
  );
}

/** The same for an agent that has sent nothing for a while after some text. */
export function Silence({ message }: { message: Message }) {
  const { run, worked, now, progress, answeredAt, quiet } = useQuiet(message);
  if (!quiet || progress === undefined) return null;
  return (
    <WhileStill messageId={message.id} answeredAt={answeredAt}>
      <div className="working silence">
        <Shimmer stopping={run?.stopping === true}>
          {t('transcript.workingSince', { time: running(worked) })}
        </Shimmer>
        <span className="working-seen">{seenOf(progress, now)}</span>
        <QuietActions runId={message.runId} stopping={run?.stopping === true} />
      </div>
    </WhileStill>
  );
}

/**
 * How long the run of a message has worked, and whether it has shown no activity for so long that it should be
 * mentioned.
 */
function useQuiet({ runId, createdAt }: Message) {
  const { session } = useReading();
  const run = useStore(session.store, ({ conversation }) => conversation.runs.find(({ id }) => id === runId));
  const { data: progress, dataUpdatedAt: answeredAt } = useRunProgress(runId);
  const now = useSeconds(true);
  const since = run?.startedAt ?? createdAt;
  const quiet =
    now - Math.max(since, progress?.workedAt ?? 0) >= quietLimit && (run?.waitsFor.length ?? 0) === 0;
  const worked = run === undefined ? now - since : workedFor(run, since, now);
  return { run, worked, now, progress, answeredAt, quiet };
}

/**
 * Renders its children unless the message has changed since the progress was fetched, or one of its running calls shows
 * its own duration.
 */
function WhileStill({
  messageId,
  answeredAt,
  children,
}: {
  messageId: string;
  answeredAt: number;
  children: ReactNode;
}) {
  const { session } = useReading();
  const message = useStore(session.store, ({ conversation }) =>
    conversation.messages.findLast(({ id }) => id === messageId),
  );
  const known = useRef({ answeredAt, message });
  if (known.current.answeredAt !== answeredAt) known.current = { answeredAt, message };
  const still = message !== undefined && known.current.message === message && !runsCall(message);
  return still ? children : null;
}

/** Reports whether a call shows its running duration. */
function runsCall({ segments }: Message): boolean {
  return segments.some(
    (segment) =>
      segment.type === 'tool-group' &&
      segment.items.some((item) => item.type === 'tool_call' && item.status === 'running' && !isHidden(item)),
  );
}

function Shimmer({ stopping, children }: { stopping: boolean; children: ReactNode }) {
  return <span className="shimmer">{stopping ? t('transcript.stopping') : children}</span>;
}

/** Actions for an agent that shows no activity. */
function QuietActions({ runId, stopping }: { runId: string; stopping: boolean }) {
  const weft = useWeft();
  const { session } = useReading();
  const logOpen = useStore(weft.shown, ({ panel }) => panel === 'log');
  return (
    <>
      <button
        type="button"
        className="text-button"
        {...inactiveWhile(stopping)}
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
  );
}

function sentenceOf(starting: boolean, name: string, quiet: boolean, ms: number): string {
  const agent = oneLine(name || t('transcript.agent'));
  const time = running(ms);
  if (starting)
    return quiet ? t('transcript.startingSince', { agent, time }) : t('transcript.starting', { agent });
  return quiet ? t('transcript.workingSince', { time }) : t('transcript.working');
}

/** The last activity of the agent, and when. */
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
