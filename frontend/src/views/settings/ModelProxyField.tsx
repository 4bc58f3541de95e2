import { useState } from 'react';
import { t } from '../../i18n';
import type { ModelProxy } from '../../transport/api';
import { Field } from '../parts/Field';

interface ModelProxyFieldProps {
  value: ModelProxy | null;
  onChange(value: ModelProxy | null): void;
}

/** Whether Weft reads along what an agent's model writes, and which more variables name a model's address. */
export function ModelProxyField({ value, onChange }: ModelProxyFieldProps) {
  const [names, setNames] = useState((value?.variables ?? []).join(' '));
  return (
    <>
      <Field
        label={t('agentForm.modelProxy')}
        note={t(value === null ? 'agentForm.modelProxyNote.off' : 'agentForm.modelProxyNote.on')}
      >
        {(control) => (
          <select
            {...control}
            className="field"
            value={value === null ? 'off' : 'on'}
            onChange={(event) => onChange(event.target.value === 'on' ? { variables: namesOf(names) } : null)}
          >
            <option value="off">{t('agentForm.modelProxyOff')}</option>
            <option value="on">{t('agentForm.modelProxyOn')}</option>
          </select>
        )}
      </Field>
      {value !== null && (
        <Field label={t('agentForm.modelProxyVariables')} note={t('agentForm.modelProxyVariablesNote')}>
          {(control) => (
            <input
              {...control}
              className="field mono"
              value={names}
              onChange={(event) => {
                setNames(event.target.value);
                onChange({ ...value, variables: namesOf(event.target.value) });
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
