import { CircleAlert } from 'lucide-react';
import { useState } from 'react';
import { restartAgent, retryRun } from '../../commands/prompts';
import { t } from '../../i18n';
import { copyText } from '../../markdown';
import { defaultMember, runOfMember } from '../../state/members';
import { say } from '../../state/notify';
import { offeredOf } from '../../state/offered';
import { useStore } from '../../state/store';
import { useWeft } from '../../state/weft';
import type { Failure } from '../../transcript/types';
import { ErrorFacts } from '../errors/ErrorFacts';
import { fixesForCode, isBestSignIn, showsOutput } from '../errors/fixes';
import { SpaceFixes } from '../errors/SpaceFixes';
import { sentenceOf } from '../errors/sentence';
import { useTargetAt } from '../find/spot';
import { oneLine } from '../parts/clean';
import { Lines } from '../parts/Lines';
import { SignIn } from '../signin/SignIn';
import { Disclosure } from './Disclosure';
import { useReading } from './reading';

/** Longest detail that is initially open. */
const shortDetail = 600;

/** Short details and an agent's last output are shown at once; for a required sign-in, the message is enough. */
function opensDetail({ code, detail = '' }: Failure): boolean {
  return showsOutput(code) || (detail.length <= shortDetail && code !== 'auth_required');
}

/** The last lines of an agent's output say why it ended. */
function toEnd(output: HTMLPreElement | null): void {
  if (output !== null) output.scrollTop = output.scrollHeight;
}

/** An error: what happened, why, and what can be done. */
export function ErrorBlock({
  failure,
  last,
  memberId,
  messageId = '',
}: {
  failure: Failure;
  last: boolean;
  /** The member whose run failed; empty if unknown. */
  memberId: string;
  /** The message with the error, if there is one. */
  messageId?: string;
}) {
  const { session, spot } = useReading();
  const [found, setFound] = useState(false);
  // Opened if it contains the search match.
  const isTarget = useTargetAt(spot, messageId, -1, -1)?.mark != null;
  if (isTarget && !found) setFound(true);
  const weft = useWeft();
  const space = useStore(session.store, (state) => state.space);
  const member =
    space === null ? undefined : (space.members.find(({ id }) => id === memberId) ?? defaultMember(space));
  const running = useStore(
    session.store,
    ({ conversation: { runs } }) => runOfMember(runs, member?.id ?? '') !== undefined,
  );
  const logOpen = useStore(weft.shown, ({ panel }) => panel === 'log');
  const detail = failure.detail ?? '';
  const { spaceId } = session;
  const agent = useStore(weft.server, ({ agents }) => agents.find(({ id }) => id === member?.agentId));
  const offersWays = useStore(
    session.store,
    ({ conversation }) => (offeredOf(conversation, member?.id ?? '')?.auth ?? []).length > 0,
  );
  const signsIn =
    last &&
    !running &&
    (failure.code === 'auth_required' || (offersWays && fixesForCode(failure.code).includes('signIn')));
  const leads = signsIn && isBestSignIn(failure.code, agent);
  const retry = () => retryRun(weft, spaceId, memberId);
  const restart = () => restartAgent(weft, spaceId, memberId);
  return (
    <section className="error-block" aria-label={t('error.label')}>
      <CircleAlert className="error-icon" size={16} aria-hidden />
      <div className="error-body">
        <p className="error-message">
          <Lines text={sentenceOf(failure, member?.name)} />
        </p>
        {detail !== '' && (
          <Disclosure
            label={t(showsOutput(failure.code) ? 'error.output' : 'error.detail')}
            key={String(found)}
            open={found || opensDetail(failure)}
          >
            <div className="error-detail">
              {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by keyboard */}
              <pre ref={showsOutput(failure.code) ? toEnd : undefined} className="code-box" tabIndex={0}>
                <Lines text={detail} />
              </pre>
              <button
                type="button"
                className="text-button"
                onClick={() => void copyText(detail).then(() => say(t('copied')))}
              >
                {t('copy')}
              </button>
            </div>
          </Disclosure>
        )}
        <ErrorFacts failure={failure} />
        {signsIn && member !== undefined && (
          <SignIn session={session} member={member} leads={leads} onDone={() => void retry()} />
        )}
        {last && !running && member !== undefined && space !== null && (
          <SpaceFixes
            session={session}
            space={space}
            member={member}
            failure={failure}
            place="run"
            signsIn={leads}
            actions={{
              retry: () => void retry(),
              restart: () => void restart(),
              ...(!logOpen && { log: () => weft.togglePanel('log') }),
            }}
          />
        )}
        <span className="error-code mono">{oneLine(failure.code)}</span>
      </div>
    </section>
  );
}
