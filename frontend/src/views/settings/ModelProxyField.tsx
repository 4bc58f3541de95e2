import { useState } from 'react';
import { t } from '../../i18n';
import type { ModelProxy } from '../../transport/api';
import { Field } from '../parts/Field';

interface ModelProxyFieldProps {
  value: ModelProxy | null;
  /** Environment variables that point the agent to its models, as saved. */
  leads: readonly string[];
  onChange(value: ModelProxy | null): void;
}

/** Whether Weft reads the model's output through its proxy, and further variables with a model's address. */
export function ModelProxyField({ value, leads, onChange }: ModelProxyFieldProps) {
  const [names, setNames] = useState((value?.variables ?? []).join(' '));
  const choice = value === null ? 'automatic' : value.off === true ? 'off' : 'on';
  const notes = {
    automatic:
      leads.length > 0
        ? t('agentForm.modelProxyNote.found', { variables: leads.join(', ') })
        : t('agentForm.modelProxyNote.notFound'),
    on: t('agentForm.modelProxyNote.on'),
    off: t('agentForm.modelProxyNote.off'),
  };
  const choose = (next: string) => {
    if (next === 'automatic') onChange(null);
    else onChange(next === 'on' ? { variables: namesOf(names) } : { off: true });
  };
  return (
    <>
      <Field label={t('agentForm.modelProxy')} note={notes[choice]}>
        {(control) => (
          <select
            {...control}
            className="field"
            value={choice}
            onChange={(event) => choose(event.target.value)}
          >
            <option value="automatic">{t('agentForm.modelProxyAutomatic')}</option>
            <option value="on">{t('agentForm.modelProxyOn')}</option>
            <option value="off">{t('agentForm.modelProxyOff')}</option>
          </select>
        )}
      </Field>
      {choice === 'on' && (
        <Field label={t('agentForm.modelProxyVariables')} note={t('agentForm.modelProxyVariablesNote')}>
          {(control) => (
            <input
              {...control}
              className="field mono"
              value={names}
              onChange={(event) => {
                setNames(event.target.value);
                onChange({ variables: namesOf(event.target.value) });
              }}
              spellCheck={false}
            />
          )}
        </Field>
      )}
    </>
  );
}

function namesOf(text: string): string[] {
  return text.split(/[\s,]+/).filter((name) => name !== '');
}
