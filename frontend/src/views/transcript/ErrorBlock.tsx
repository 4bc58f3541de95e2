import { CircleAlert, ListTree, RotateCcw, Settings2, Undo2 } from 'lucide-react';
import { restartAgent, retryRun } from '../../commands/prompts';
import { t } from '../../i18n';
import { copyText } from '../../markdown';
import { defaultMember, runOfMember } from '../../state/members';
import { say } from '../../state/notify';
import { useStore } from '../../state/store';
import { useWeft } from '../../state/weft';
import type { Failure } from '../../transcript/types';
import { lines, oneLine } from '../parts/clean';
import { SignIn } from '../signin/SignIn';
import { Disclosure } from './Disclosure';
import { useReading } from './reading';

/** Characters of a detail that is open from the start. */
const shortDetail = 600;

/** What went wrong, why as far as known, and what can be done next. */
export function ErrorBlock({
  failure,
  last,
  memberId,
}: {
  failure: Failure;
  last: boolean;
  /** Whose run it was; empty where that is not known. */
  memberId: string;
}) {
  const { session } = useReading();
  const weft = useWeft();
  const member = useStore(session.store, ({ space }) =>
    space === null ? undefined : (space.members.find(({ id }) => id === memberId) ?? defaultMember(space)),
  );
  const running = useStore(
    session.store,
    ({ conversation: { runs } }) => runOfMember(runs, member?.id ?? '') !== undefined,
  );
  const logOpen = useStore(weft.shown, ({ panel }) => panel === 'log');
  const detail = failure.detail ?? '';
  const { spaceId } = session;
  const retry = () => weft.attempt(t('failed.retry'), () => retryRun(weft, spaceId, memberId));
  const restart = () => weft.attempt(t('failed.restart'), () => restartAgent(weft, spaceId, memberId));
  return (
    <section className="error-block" aria-label={t('error.label')}>
      <CircleAlert className="error-icon" size={16} aria-hidden />
      <div className="error-body">
        <p className="error-message">{lines(failure.message)}</p>
        {detail !== '' && (
          // Few lines are read at once; many are asked for.
          <Disclosure label={t('error.detail')} open={detail.length <= shortDetail}>
            <div className="error-detail">
              <pre className="code-box">{lines(detail)}</pre>
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
        {last && !running && failure.code === 'auth_required' && member !== undefined && (
          <SignIn session={session} member={member} onDone={() => void retry()} />
        )}
        {last && !running && (
          <div className="error-steps">
            {failure.retryable === true && (
              <button type="button" className="button" onClick={() => void retry()}>
                <RotateCcw size={14} aria-hidden />
                {t('error.retry')}
              </button>
            )}
            <button type="button" className="button" onClick={() => void restart()}>
              <Undo2 size={14} aria-hidden />
              {t('error.restart')}
            </button>
            {!logOpen && (
              <button type="button" className="button plain" onClick={() => weft.togglePanel('log')}>
                <ListTree size={14} aria-hidden />
                {t('action.log')}
              </button>
            )}
            <button
              type="button"
              className="button plain"
              onClick={() => weft.showAgent(member?.agentId ?? '')}
            >
              <Settings2 size={14} aria-hidden />
              {t('error.settings')}
            </button>
          </div>
        )}
        <span className="error-code mono">{oneLine(failure.code)}</span>
      </div>
    </section>
  );
}
