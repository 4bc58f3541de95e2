import { X } from 'lucide-react';
import { t } from '../../i18n';
import { renamed } from '../../state/members';
import type { Agent, MemberSeed } from '../../transport/api';
import { oneLine } from '../parts/clean';
import { MemberFields } from './MemberFields';

interface TeamRowProps {
  seed: MemberSeed;
  /** Counted from 1; the first is the default. */
  place: number;
  others: readonly string[];
  agents: readonly Agent[];
  onChange(seed: MemberSeed): void;
  onRemove(): void;
}

/** A member of a space that doesn't exist yet. */
export function TeamRow({ seed, place, others, agents, onChange, onRemove }: TeamRowProps) {
  const name = oneLine(seed.name) || t('members.nameless', { n: place });
  return (
    <li className="team-row">
      <div className="form">
        {place === 1 && <span className="tag accent team-default">{t('members.default')}</span>}
        <MemberFields
          seed={seed}
          others={others}
          agents={agents}
          onChange={(next) => onChange(renamed(seed, next, agents, others))}
        />
      </div>
      <button
        type="button"
        className="icon-button quiet team-remove"
        aria-label={t('members.removeNamed', { name })}
        title={t('members.removeNamed', { name })}
        onClick={onRemove}
      >
        <X size={14} aria-hidden />
      </button>
    </li>
  );
}
