import { CircleAlert } from 'lucide-react';
import { t } from '../../i18n';
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
  const rest = useRest();
  if (unready === null || talked) return null;
  if (unready.code === 'auth_required' && rest !== null) {
    return (
      <div className="unready sign-in-first" role="status">
        <p>{lines(unready.message)}</p>
        <rest.SignIn session={session} onDone={() => session.prepare(true)} />
      </div>
    );
  }
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
