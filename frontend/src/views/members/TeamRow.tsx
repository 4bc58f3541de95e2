import { ChevronRight, X } from 'lucide-react';
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

/** A member of a space that is not there yet. */
export function TeamRow({ seed, place, others, agents, onChange, onRemove }: TeamRowProps) {
  const name = oneLine(seed.name) || t('members.nameless', { n: place });
  return (
    <li className="team-row">
      <details className="more team-member" open>
        <summary>
          <span className="team-name">{name}</span>
          {place === 1 && <span className="tag accent">{t('members.default')}</span>}
          <ChevronRight className="chevron" size={13} aria-hidden />
        </summary>
        <div className="form">
          <MemberFields
            seed={seed}
            others={others}
            agents={agents}
            onChange={(next) => onChange(renamed(seed, next, agents, others))}
          />
        </div>
      </details>
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
