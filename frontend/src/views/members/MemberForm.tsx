import { useState } from 'react';
import { addMember, updateMember } from '../../commands/spaces';
import { t } from '../../i18n';
import { nameError, renamed, seedFor } from '../../state/members';
import { useStore } from '../../state/store';
import { useWeft } from '../../state/weft';
import type { Agent, Member, MemberSeed, Space } from '../../transport/api';
import { oneLine } from '../parts/clean';
import { FormDialog } from '../parts/FormDialog';
import { inactiveWhile } from '../parts/inactiveWhile';
import { Lines } from '../parts/Lines';
import { useSave } from '../parts/useSave';
import { MemberFields } from './MemberFields';

interface MemberFormProps {
  space: Space;
  /** The member to edit; null adds one. */
  member: Member | null;
  onClose(): void;
}

/** Adds or edits a member of a space. */
export function MemberForm({ space, member, onClose }: MemberFormProps) {
  const weft = useWeft();
  const saving = useSave();
  const agents = useStore(weft.server, (state) => state.agents).filter(({ installed }) => installed);
  const others = space.members.filter((one) => one !== member).map(({ name }) => name);
  const [seed, setSeed] = useState<MemberSeed>(
    () => member ?? seedFor(suggestedAgent(agents, space), others),
  );
  const change = (next: MemberSeed) => {
    setSeed(renamed(seed, next, agents, others));
    saving.clear();
  };
  const save = () => {
    const wrong = nameError(seed.name, others);
    if (wrong !== null) return saving.refuse(t(`members.wrongName.${wrong}`));
    void saving.run(async () => {
      const { agentId, speaks, reads } = seed;
      const what = { spaceId: space.id, name: seed.name.trim(), role: seed.role.trim(), speaks, reads };
      await (member === null
        ? addMember(weft, { ...what, agentId })
        : updateMember(weft, { ...what, memberId: member.id }));
      onClose();
    });
  };
  return (
    <FormDialog
      title={member === null ? t('members.addTitle') : t('members.editTitle', { name: oneLine(member.name) })}
      onClose={onClose}
    >
      <form
        className="form"
        onSubmit={(event) => {
          event.preventDefault();
          save();
        }}
      >
        <MemberFields
          seed={seed}
          others={others}
          agents={member === null ? agents : null}
          onChange={change}
        />
        {saving.error !== null && (
          <p className="field-error" role="alert">
            <Lines text={saving.error.message} />
          </p>
        )}
        <div className="dialog-foot">
          <span className="grow" />
          <button type="button" className="button plain" onClick={onClose}>
            {t('cancel')}
          </button>
          <button type="submit" className="button primary" {...inactiveWhile(saving.busy)}>
            {member === null ? t('members.addButton') : t('agentForm.save')}
          </button>
        </div>
      </form>
    </FormDialog>
  );
}

/** The suggested agent: preferably one that isn't in the space yet. */
function suggestedAgent(agents: readonly Agent[], space: Space): Agent | { id: string; name: string } {
  const there = new Set(space.members.map(({ agentId }) => agentId));
  return agents.find(({ id }) => !there.has(id)) ?? agents[0] ?? { id: '', name: '' };
}
