import { CircleAlert } from 'lucide-react';
import { t } from '../../i18n';
import { runOfMember } from '../../state/members';
import { offeredOf } from '../../state/offered';
import type { Session } from '../../state/session';
import { useStore } from '../../state/store';
import { useWeft } from '../../state/weft';
import { memberOf } from '../../transcript/model';
import type { Member } from '../../transport/api';
import { lines, oneLine } from '../parts/clean';
import { useRest } from '../shell/later';

/** The agent could not be started: told before a prompt is written in vain. */
export function Unready({ session, member }: { session: Session; member: Member }) {
  const weft = useWeft();
  const unready = useStore(session.store, (state) => state.unready[member.id]);
  const talked = useStore(
    session.store,
    ({ conversation: { runs, messages, error } }) =>
      error !== null ||
      runOfMember(runs, member.id) !== undefined ||
      messages.some(({ role, author }) => role === 'agent' && memberOf(author) === member.id),
  );
  // Where a prompt has failed for it, the sign-in is under that prompt.
  const elsewhere = useStore(
    session.store,
    ({ conversation }) =>
      runOfMember(conversation.runs, member.id) !== undefined ||
      conversation.messages.at(-1)?.error?.code === 'auth_required' ||
      conversation.error?.code === 'auth_required',
  );
  const asked = useStore(
    session.store,
    ({ conversation }) => offeredOf(conversation, member.id)?.signIn === true,
  );
  const rest = useRest();
  if (rest !== null && !elsewhere && (asked || unready?.code === 'auth_required')) {
    return (
      <div className="unready sign-in-first" role="status">
        <p>
          {unready === undefined
            ? t('signIn.first', { agent: oneLine(member.agentName) })
            : lines(unready.message)}
        </p>
        <rest.SignIn session={session} member={member} onDone={() => session.prepare(member.id, true)} />
      </div>
    );
  }
  if (unready === undefined || talked) return null;
  return (
    <div className="unready" role="status">
      <CircleAlert size={14} aria-hidden />
      <p>
        {t('unready.lead', { agent: oneLine(member.agentName) })} {lines(unready.message)}
      </p>
      <button type="button" className="text-button" onClick={() => session.prepare(member.id, true)}>
        {t('again')}
      </button>
      <button type="button" className="text-button" onClick={() => weft.showAgent(member.agentId)}>
        {t('error.settings')}
      </button>
    </div>
  );
}
