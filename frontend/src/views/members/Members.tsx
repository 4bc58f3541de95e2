import { Plus } from 'lucide-react';
import { useRef, useState } from 'react';
import { addMember, removeMember, updateMember } from '../../commands/spaces';
import { t } from '../../i18n';
import { tonesOf } from '../../state/memberLook';
import { isShared, runOfMember } from '../../state/members';
import { showUndoable } from '../../state/notify';
import type { Session } from '../../state/session';
import { useStore } from '../../state/store';
import { useWeft } from '../../state/weft';
import type { Member, Space } from '../../transport/api';
import { lines, oneLine } from '../parts/clean';
import { Side, SideNote } from '../shell/Side';
import { MemberForm } from './MemberForm';
import { MemberRow } from './MemberRow';
import { RemoveDialog } from './RemoveDialog';
import './members.css';

/** The members of a space: who they are, their role, and their activity. */
export function Members({ session }: { session: Session }) {
  const status = useStore(session.store, (state) => state.status);
  const error = useStore(session.store, (state) => state.error);
  const space = useStore(session.store, (state) => state.space);
  return (
    <Side title={t('members.title')} busy={status === 'loading'}>
      {space !== null ? (
        <List session={session} space={space} />
      ) : (
        <SideNote
          error={status === 'failed' ? lines(error?.message ?? '') : null}
          onAgain={() => void session.open()}
        />
      )}
    </Side>
  );
}

function List({ session, space }: { session: Session; space: Space }) {
  const weft = useWeft();
  const [form, setForm] = useState<{ member: Member | null } | null>(null);
  const [doomed, setDoomed] = useState<Member | null>(null);
  const adds = useRef<HTMLButtonElement>(null);
  const tones = tonesOf(space.members);
  const { id: spaceId } = space;
  const makeDefault = (memberId: string) =>
    void weft.attempt(t('failed.member'), async () =>
      updateMember(weft, { spaceId, memberId, default: true }),
    );
  const remove = async (member: Member) => {
    setDoomed(null);
    await weft.attempt(t('failed.removeMember', { name: oneLine(member.name) }), async () => {
      await removeMember(weft, { spaceId, memberId: member.id });
      adds.current?.focus();
      showUndoable(t('members.removed', { name: oneLine(member.name) }), () => void addAgain(member));
    });
  };
  const addAgain = (member: Member) =>
    weft.attempt(t('failed.addMember'), async () => {
      const { name, agentId, role, speaks, reads } = member;
      addMember(weft, { spaceId, name, agentId, role, speaks, reads });
    });
  return (
    <div className="members-body">
      <ul className="members-list" aria-label={t('members.title')}>
        {space.members.map((member) => (
          <MemberRow
            key={member.id}
            session={session}
            member={member}
            tone={tones.get(member.id) ?? 1}
            alone={!isShared(space)}
            onEdit={() => setForm({ member })}
            onMakeDefault={() => makeDefault(member.id)}
            onRemove={() => {
              const works = runOfMember(session.store.get().conversation.runs, member.id) !== undefined;
              if (works) setDoomed(member);
              else void remove(member);
            }}
          />
        ))}
      </ul>
      <p className="side-note">{t(isShared(space) ? 'members.note' : 'members.alone')}</p>
      <button
        ref={adds}
        type="button"
        className="button members-add"
        onClick={() => setForm({ member: null })}
      >
        <Plus size={14} aria-hidden />
        {t('members.add')}
      </button>
      {form !== null && <MemberForm space={space} member={form.member} onClose={() => setForm(null)} />}
      {doomed !== null && (
        <RemoveDialog member={doomed} onKeep={() => setDoomed(null)} onRemove={() => void remove(doomed)} />
      )}
    </div>
  );
}
