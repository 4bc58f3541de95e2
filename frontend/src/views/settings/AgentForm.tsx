import { useRef, useState } from 'react';
import { t } from '../../i18n';
import type { Agent } from '../../transport/api';
import { ModelForm } from '../models/ModelForm';
import { oneLine } from '../parts/clean';
import { FormDialog } from '../parts/FormDialog';
import { Segments } from '../parts/Segments';
import { CommandForm } from './CommandForm';
import './settings.css';

export type AgentWay = 'command' | 'model';

export type AgentFocus = 'command' | 'key' | 'model';

interface AgentFormProps {
  /** The agent to edit; null adds one. */
  agent: Agent | null;
  /** The initial way of a new one. */
  way?: AgentWay;
  /** The field that the user wants to change. */
  focus?: AgentFocus | null;
  onClose(): void;
  /** Called before it closes. */
  onSaved?(agent: Agent): void;
}

/** Adds an agent, or edits the user's own entry of one. */
export function AgentForm({ agent, way: first = 'command', focus = null, onClose, onSaved }: AgentFormProps) {
  const [way, setWay] = useState<AgentWay>(first);
  const popup = useRef<HTMLDivElement>(null);
  // The first required field, after the choice of the way.
  const firstField = () =>
    popup.current?.querySelector<HTMLElement>(`[data-focus="${focus}"]`) ??
    popup.current?.querySelector<HTMLElement>('form input:not([type=radio]), form input:checked') ??
    true;
  const isModel = agent === null ? way === 'model' : (agent.model ?? null) !== null;
  const saved = (one: Agent) => {
    onSaved?.(one);
    onClose();
  };
  return (
    <FormDialog
      title={agent === null ? t('agentForm.add') : t('agentForm.edit', { name: oneLine(agent.name) })}
      ref={popup}
      initialFocus={firstField}
      onClose={onClose}
    >
      {agent === null && <Ways way={way} onChange={setWay} />}
      {isModel ? (
        <ModelForm agent={agent} focus={focus} onClose={onClose} onSaved={saved} />
      ) : (
        <CommandForm agent={agent} onClose={onClose} onSaved={saved} />
      )}
    </FormDialog>
  );
}

/** A command, or a model for Weft's own agent. */
function Ways({ way, onChange }: { way: AgentWay; onChange(way: AgentWay): void }) {
  return (
    <fieldset className="agent-ways">
      <legend className="visually-hidden">{t('models.way')}</legend>
      <Segments
        value={way}
        options={(['command', 'model'] as const).map((one) => [one, t(`models.ways.${one}`)])}
        onChoose={onChange}
      />
    </fieldset>
  );
}
