import { t } from '../../i18n';
import type { Agent } from '../../transport/api';
import { oneLine } from '../parts/clean';

interface AgentOptionProps {
  agent: Agent;
  chosen: boolean;
  onChoose(): void;
}

/** An agent for a new space. */
export function AgentOption({ agent, chosen, onChoose }: AgentOptionProps) {
  return (
    <label className="agent-choice" data-chosen={chosen}>
      <input type="radio" name="agent" checked={chosen} onChange={onChoose} />
      <span className="agent-choice-name">{oneLine(agent.name)}</span>
      <span className="agent-choice-note" title={noteOf(agent)}>
        {noteOf(agent)}
      </span>
    </label>
  );
}

function noteOf(agent: Agent): string {
  if (agent.source === 'builtin') return t('agents.builtinNote');
  if ((agent.model ?? null) !== null) return oneLine(agent.description);
  if (agent.registry !== null) return t('agents.fromRegistry', { version: oneLine(agent.registry.version) });
  return oneLine([agent.command, ...(agent.args ?? [])].join(' '));
}
