import { ChevronRight } from 'lucide-react';
import { useState } from 'react';
import { t } from '../../i18n';
import { nameError } from '../../state/members';
import type { Agent, MemberSeed } from '../../transport/api';
import { oneLine } from '../parts/clean';
import { Field } from '../parts/Field';
import { Segments } from '../parts/Segments';

interface MemberFieldsProps {
  seed: MemberSeed;
  /** Names in use. */
  others: readonly string[];
  /** Possible agents; null if the agent is fixed. */
  agents: readonly Agent[] | null;
  onChange(seed: MemberSeed): void;
}

/** The form fields of a member. */
export function MemberFields({ seed, others, agents, onChange }: MemberFieldsProps) {
  const wrong = nameError(seed.name, others);
  return (
    <>
      <div className="member-pair">
        {agents !== null && (
          <AgentField
            agents={agents}
            chosen={seed.agentId}
            onChange={(id) => onChange({ ...seed, agentId: id })}
          />
        )}
        <Field label={t('members.name')} note={wrong === null ? undefined : t(`members.wrongName.${wrong}`)}>
          {(control) => (
            <input
              {...control}
              className="field"
              value={seed.name}
              maxLength={60}
              aria-invalid={wrong !== null}
              onChange={(event) => onChange({ ...seed, name: event.target.value })}
            />
          )}
        </Field>
      </div>
      <Field label={t('members.role')} note={t('members.roleNote')}>
        {(control) => (
          <textarea
            dir="auto"
            {...control}
            className="field member-role-field"
            rows={2}
            value={seed.role}
            placeholder={t('members.rolePlaceholder')}
            onChange={(event) => onChange({ ...seed, role: event.target.value })}
          />
        )}
      </Field>
      <VoiceFields seed={seed} onChange={onChange} />
    </>
  );
}

function AgentField({
  agents,
  chosen,
  onChange,
}: {
  agents: readonly Agent[];
  chosen: string;
  onChange(agentId: string): void;
}) {
  const missing = agents.every(({ id }) => id !== chosen);
  return (
    <Field label={t('members.agent')} note={missing ? t('members.agentMissing') : undefined}>
      {(control) => (
        <select
          {...control}
          className="field"
          value={chosen}
          aria-invalid={missing}
          onChange={(event) => onChange(event.target.value)}
        >
          {missing && <option value={chosen}>{oneLine(chosen)}</option>}
          {agents.map(({ id, name }) => (
            <option key={id} value={id}>
              {oneLine(name)}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

/** Voice and reading settings, which are rarely changed. */
function VoiceFields({ seed, onChange }: { seed: MemberSeed; onChange(seed: MemberSeed): void }) {
  const [unusual] = useState(seed.speaks !== 'direct' || seed.reads !== 'all');
  return (
    <details className="more" open={unusual}>
      <summary>
        <ChevronRight className="chevron" size={14} aria-hidden />
        {t('members.manner')}
      </summary>
      <div className="form member-voice">
        <fieldset className="form-field">
          <legend className="form-label">{t('members.speaks')}</legend>
          <Segments
            value={seed.speaks}
            options={(['direct', 'tool'] as const).map((one) => [one, t(`members.speak.${one}`)])}
            onChoose={(speaks) => onChange({ ...seed, speaks })}
          />
          <span className="form-note">{t(`members.speakNote.${seed.speaks}`)}</span>
        </fieldset>
        <fieldset className="form-field">
          <legend className="form-label">{t('members.reads')}</legend>
          <Segments
            value={seed.reads}
            options={(['all', 'joined'] as const).map((one) => [one, t(`members.read.${one}`)])}
            onChoose={(reads) => onChange({ ...seed, reads })}
          />
        </fieldset>
      </div>
    </details>
  );
}
