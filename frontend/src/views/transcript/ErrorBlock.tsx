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
import { helps, leadsBySignIn, showsOutput } from '../errors/fixes';
import { SpaceFixes } from '../errors/SpaceFixes';
import { sentenceOf } from '../errors/sentence';
import { useTargetAt } from '../find/spot';
import { oneLine } from '../parts/clean';
import { Lines } from '../parts/Lines';
import { SignIn } from '../signin/SignIn';
import { Disclosure } from './Disclosure';
import { useReading } from './reading';

/** Characters of a detail that is open from the start. */
const shortDetail = 600;

/** What is short is read at once, and what an agent wrote last; that a sign-in is needed was said already. */
function opensDetail({ code, detail = '' }: Failure): boolean {
  return showsOutput(code) || (detail.length <= shortDetail && code !== 'auth_required');
}

/** What an agent wrote last says why it ended. */
function toEnd(output: HTMLPreElement | null): void {
  if (output !== null) output.scrollTop = output.scrollHeight;
}

/** What went wrong, why as far as known, and what can be done next. */
export function ErrorBlock({
  failure,
  last,
  memberId,
  messageId = '',
}: {
  failure: Failure;
  last: boolean;
  /** Whose run it was; empty where that is not known. */
  memberId: string;
  /** The message whose error it is, if it is that of one. */
  messageId?: string;
}) {
  const { session, spot } = useReading();
  const [found, setFound] = useState(false);
  // What was found in the detail is shown.
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
    (failure.code === 'auth_required' || (offersWays && helps(failure.code).includes('signIn')));
  const leads = signsIn && leadsBySignIn(failure.code, agent);
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
              {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls has to be reachable by key */}
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
