import { Plus, X } from 'lucide-react';
import { t } from '../../i18n';
import { joinFacts } from '../../i18n/formats';
import { withAddedMember } from '../../state/members';
import type { Agent, MemberSeed } from '../../transport/api';
import { oneLine } from '../parts/clean';
import { PresetForm } from './PresetForm';
import { PresetList } from './PresetList';
import { TeamRow } from './TeamRow';
import { usePresets } from './usePresets';
import './members.css';

interface TeamProps {
  /** Installed agents. */
  agents: readonly Agent[];
  /** The selected agent while there is only one. */
  chosen: Agent | undefined;
  /** Empty for a single agent. The first member receives prompts without a mention. */
  team: readonly MemberSeed[];
  onChange(team: readonly MemberSeed[]): void;
}

/** Several agents for a new space, row by row or from a preset. */
export function Team({ agents, chosen, team, onChange }: TeamProps) {
  const { presets, save, remove } = usePresets();
  const add = () => onChange(withAddedMember(team, chosen, agents));
  const drop = (at: number) => {
    const left = team.filter((_, i) => i !== at);
    onChange(left.length < 2 ? [] : left);
  };
  return (
    <div className="team">
      {team.length > 0 && (
        <ol className="team-rows" aria-label={t('members.title')}>
          {team.map((seed, i) => (
            <TeamRow
              // biome-ignore lint/suspicious/noArrayIndexKey: rows are identified by position; what is typed is in the list
              key={i}
              seed={seed}
              place={i + 1}
              others={team.filter((other) => other !== seed).map(({ name }) => name)}
              agents={agents}
              onChange={(next) => onChange(team.map((one, at) => (at === i ? next : one)))}
              onRemove={() => drop(i)}
            />
          ))}
        </ol>
      )}
      <div className="team-more">
        <button type="button" className="text-button" onClick={add}>
          <Plus size={13} aria-hidden />
          {t('members.addAnother')}
        </button>
        {team.length > 0 && (
          <>
            <PresetForm team={team} onSave={save} />
            <button type="button" className="text-button" onClick={() => onChange([])}>
              <X size={13} aria-hidden />
              {t('members.justOne')}
            </button>
          </>
        )}
      </div>
      <PresetList
        presets={presets}
        label={(preset) => joinFacts(preset.members.map(({ name }) => oneLine(name)))}
        onPick={({ members }) => onChange(members)}
        onRemove={(preset) => void remove(preset)}
      />
    </div>
  );
}
