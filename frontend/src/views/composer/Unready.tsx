import { CircleAlert } from 'lucide-react';
import { t } from '../../i18n';
import { offeredOf } from '../../state/offered';
import type { Session } from '../../state/session';
import { useStore } from '../../state/store';
import { useWeft } from '../../state/weft';
import type { Space } from '../../transport/api';
import { lines, oneLine } from '../parts/clean';
import { useRest } from '../shell/later';

/** The agent could not be started: told before a prompt is written in vain. */
export function Unready({ session, space }: { session: Session; space: Space }) {
  const weft = useWeft();
  const unready = useStore(session.store, (state) => state.unready);
  const talked = useStore(
    session.store,
    ({ conversation }) => conversation.run !== null || conversation.messages.length > 0,
  );
  // Where a prompt has failed for it, the sign-in stands under that prompt.
  const elsewhere = useStore(
    session.store,
    ({ conversation }) =>
      conversation.run !== null ||
      conversation.messages.at(-1)?.error?.code === 'auth_required' ||
      conversation.error?.code === 'auth_required',
  );
  const asked = useStore(session.store, ({ conversation }) => offeredOf(conversation)?.signIn === true);
  const rest = useRest();
  if (rest !== null && !elsewhere && (asked || unready?.code === 'auth_required')) {
    return (
      <div className="unready sign-in-first" role="status">
        <p>
          {unready === null ? t('signIn.first', { agent: oneLine(space.agentName) }) : lines(unready.message)}
        </p>
        <rest.SignIn session={session} onDone={() => session.prepare(true)} />
      </div>
    );
  }
  if (unready === null || talked) return null;
  return (
    <div className="unready" role="status">
      <CircleAlert size={14} aria-hidden />
      <p>
        {t('unready.lead', { agent: oneLine(space.agentName) })} {lines(unready.message)}
      </p>
      <button type="button" className="text-button" onClick={() => session.prepare(true)}>
        {t('again')}
      </button>
      <button type="button" className="text-button" onClick={() => weft.showAgent(space.agentId)}>
        {t('error.settings')}
      </button>
    </div>
  );
}
