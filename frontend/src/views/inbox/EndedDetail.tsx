import { useEffect, useLayoutEffect, useMemo } from 'react';
import { restartAgent, retryRun } from '../../commands/prompts';
import { t } from '../../i18n';
import type { InboxItem } from '../../state/inbox';
import { defaultMember } from '../../state/members';
import type { Session } from '../../state/session';
import { useStore } from '../../state/store';
import { useWeft } from '../../state/weft';
import { type Message, memberOf } from '../../transcript/model';
import { SpaceFixes } from '../errors/SpaceFixes';
import { oneLine } from '../parts/clean';
import { duration } from '../parts/numbers';
import { ErrorBlock } from '../transcript/ErrorBlock';
import { EndNote } from '../transcript/marks';
import { TranscriptModel } from '../transcript/model';
import { RowView } from '../transcript/RowView';
import type { Row } from '../transcript/rows';
import { PaneReading } from './PaneReading';
import { PaneFailed, PaneLoading } from './PaneStates';
import { useOpenSession } from './useOpenSession';

/** Most rows shown of the last message. */
const mostRows = 8;
const shownKinds: readonly Row['kind'][] = ['prose', 'group', 'shown', 'display', 'nest'];

/** An unseen end of a run: its outcome and the last text. */
export function EndedDetail({ of }: { of: InboxItem }) {
  const { session, status } = useOpenSession(of.space.id);
  if (status === 'loading') return <PaneLoading />;
  if (status === 'failed') return <PaneFailed session={session} />;
  return (
    <PaneReading session={session}>
      <Outcome of={of} session={session} />
      <LastLines session={session} />
    </PaneReading>
  );
}

function useLastMessage(session: Session): Message | undefined {
  return useStore(session.store, ({ conversation }) =>
    conversation.messages.findLast(({ role }) => role === 'agent'),
  );
}

function Outcome({ of, session }: { of: InboxItem; session: Session }) {
  const weft = useWeft();
  const last = useLastMessage(session);
  const spaceError = useStore(session.store, ({ conversation }) => conversation.error);
  const failure = of.kind === 'failed' ? (spaceError ?? last?.error ?? null) : null;
  const member = spaceError !== null || last === undefined ? '' : memberOf(last.author);
  const stopReason = last?.stopReason ?? '';
  const took = last === undefined ? 0 : last.endedAt - last.createdAt;
  return (
    <div className="triage-outcome">
      <p className="triage-outcome-line">
        <strong>
          {t(`inbox.${of.kind === 'failed' ? 'failed' : 'finished'}`, { agent: oneLine(of.space.agentName) })}
        </strong>
        {took > 0 && <span className="quiet-text tabular">{t('inbox.took', { time: duration(took) })}</span>}
      </p>
      {failure !== null && <ErrorBlock failure={failure} last={false} memberId={member} />}
      {failure === null && stopReason !== '' && stopReason !== 'end_turn' && (
        <EndNote stopReason={stopReason} />
      )}
      {failure !== null && (
        <SpaceFixes
          session={session}
          space={of.space}
          member={of.space.members.find(({ id }) => id === member) ?? defaultMember(of.space)}
          failure={failure}
          place="run"
          actions={{
            retry: () => void retryRun(weft, session.spaceId, member),
            restart: () => void restartAgent(weft, session.spaceId, member),
          }}
        />
      )}
    </div>
  );
}

function LastLines({ session }: { session: Session }) {
  const weft = useWeft();
  const thoughts = useStore(weft.server, (state) => state.appearance.thoughts);
  const looks = useStore(weft.server, (state) => state.toolCalls.looks);
  const model = useMemo(
    () =>
      new TranscriptModel(session, weft.server.get().appearance.thoughts, weft.server.get().toolCalls.looks),
    [session, weft],
  );
  useEffect(() => model.follow(), [model]);
  useEffect(() => model.setThoughts(thoughts), [model, thoughts]);
  useLayoutEffect(() => model.setLooks(looks), [model, looks]);
  const rows = useStore(model.store, (state) => state.rows);
  const last = useLastMessage(session);
  const own = rows.filter(
    (row) => 'message' in row && row.message.id === last?.id && shownKinds.includes(row.kind),
  );
  if (own.length === 0) return <p className="quiet-text">{t('inbox.noLines')}</p>;
  return (
    <section className="triage-lines" aria-label={t('inbox.lastLines')}>
      {own.length > mostRows && <p className="quiet-text">{t('inbox.earlier')}</p>}
      {own.slice(-mostRows).map((row) => (
        <RowView key={row.key} row={row} />
      ))}
    </section>
  );
}
