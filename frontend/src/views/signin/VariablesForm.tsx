import { useId, useState } from 'react';
import { t } from '../../i18n';
import type { Auth } from '../../transport/api';
import { oneLine } from '../parts/clean';
import { inactiveWhile } from '../parts/inactiveWhile';
import { SecretLocation } from '../secrets/SecretLocation';
import '../secrets/secrets.css';

interface VariablesFormProps {
  method: Auth;
  /** References to variables that are already stored, by name. */
  kept: Readonly<Record<string, string>>;
  busy: boolean;
  onSend(values: Record<string, string>): void;
  onClose(): void;
}

/** The form for environment variables that the agent needs. */
export function VariablesForm({ method, kept, busy, onSend, onClose }: VariablesFormProps) {
  const id = useId();
  const [values, setValues] = useState<Record<string, string>>({});
  const variables = (method.variables ?? []).filter((one) => typeof one === 'object');
  return (
    <form
      className="form sign-in-form"
      onSubmit={(event) => {
        event.preventDefault();
        onSend(Object.fromEntries(Object.entries(values).filter(([, value]) => value !== '')));
      }}
    >
      {variables.map(({ name, label, secret, optional }, at) => {
        const here = kept[name] !== undefined;
        return (
          <div className="form-field" key={name}>
            <label className="form-label" htmlFor={`${id}-${at}`}>
              {oneLine(label || name)}
              {optional === true && <span className="form-note"> {t('signIn.optional')}</span>}
            </label>
            <input
              id={`${id}-${at}`}
              className="field mono"
              type={secret ? 'password' : 'text'}
              required={optional !== true && !here}
              placeholder={here ? t('values.kept') : name}
              value={values[name] ?? ''}
              onChange={(event) => setValues({ ...values, [name]: event.target.value })}
              autoComplete="off"
              spellCheck={false}
              // biome-ignore lint/a11y/noAutofocus: the user just asked for this form
              autoFocus={at === 0}
            />
          </div>
        );
      })}
      <SecretLocation
        refs={variables.map(({ name }) => ((values[name] ?? '') === '' ? (kept[name] ?? '') : ''))}
      />
      <div className="dialog-foot">
        <button type="submit" className="button primary" {...inactiveWhile(busy)}>
          {t('signIn.send')}
        </button>
        <button type="button" className="button plain" onClick={onClose}>
          {t('cancel')}
        </button>
      </div>
    </form>
  );
}
