import { CircleAlert } from 'lucide-react';
import { t } from '../../i18n';
import { runOfMember } from '../../state/members';
import { offeredOf } from '../../state/offered';
import type { Session } from '../../state/session';
import { useStore } from '../../state/store';
import { memberOf } from '../../transcript/model';
import type { Member, Space } from '../../transport/api';
import { fixesForCode } from '../errors/fixes';
import { sentenceOf } from '../errors/sentence';
import { lines, oneLine } from '../parts/clean';
import { Lines } from '../parts/Lines';
import { useRest } from '../shell/later';

/** Reports whether the error shows the sign-in below it. */
const offersSignIn = (error: { code: string } | null | undefined) =>
  error != null && fixesForCode(error.code).includes('signIn');

/** Reports that the agent could not be started before the user writes a prompt in vain. */
export function StartError({ session, space, member }: { session: Session; space: Space; member: Member }) {
  const unready = useStore(session.store, (state) => state.startErrors[member.id]);
  const talked = useStore(
    session.store,
    ({ conversation: { runs, messages, error } }) =>
      error !== null ||
      runOfMember(runs, member.id) !== undefined ||
      messages.some(({ role, author }) => role === 'agent' && memberOf(author) === member.id),
  );
  // If a prompt failed because of it, the sign-in is shown below that prompt.
  const elsewhere = useStore(
    session.store,
    ({ conversation }) =>
      runOfMember(conversation.runs, member.id) !== undefined ||
      offersSignIn(conversation.messages.at(-1)?.error) ||
      offersSignIn(conversation.error),
  );
  const asked = useStore(
    session.store,
    ({ conversation }) => offeredOf(conversation, member.id)?.signIn === true,
  );
  const rest = useRest();
  if (rest !== null && !elsewhere && (asked || unready?.code === 'auth_required')) {
    return (
      <div className="start-error sign-in-first" role="status">
        <p>
          {unready === undefined
            ? t('signIn.first', { agent: oneLine(member.agentName) })
            : lines(sentenceOf(unready, member.name))}
        </p>
        <rest.SignIn
          session={session}
          member={member}
          leads
          onDone={() => session.prepare(member.id, true)}
        />
      </div>
    );
  }
  if (unready === undefined || talked) return null;
  return (
    <div className="start-error" role="status">
      <CircleAlert size={14} aria-hidden />
      <p>
        {t('unready.lead', { agent: oneLine(member.agentName) })} <Lines text={unready.message} />
      </p>
      {rest !== null && (
        <rest.SpaceFixes
          session={session}
          space={space}
          member={member}
          failure={{ code: unready.code, retryable: true }}
          place="start"
          actions={{ retry: () => session.prepare(member.id, true) }}
        />
      )}
    </div>
  );
}
