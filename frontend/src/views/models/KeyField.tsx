import { ExternalLink } from 'lucide-react';
import { openLink } from '../../commands/links';
import { t } from '../../i18n';
import { useWeft } from '../../state/weft';
import type { ModelProvider } from '../../transport/api';
import { Field } from '../parts/Field';
import { SecretLocation } from '../secrets/SecretLocation';
import { compatible, type Draft } from './draft';

interface KeyFieldProps {
  /** The form was opened for this field. */
  focused: boolean;
  draft: Draft;
  provider: ModelProvider;
  onChange(what: Partial<Draft>): void;
  /** Called when the key is probably complete. */
  onLeave(): void;
}

/** The key: typed, stored, from the environment, or none. */
export function KeyField({ focused, draft, provider, onChange, onLeave }: KeyFieldProps) {
  const weft = useWeft();
  const elsewhere = draft.card === compatible;
  const environment = provider.envKey && !elsewhere;
  const optional = elsewhere || !provider.needsKey;
  let hint = '';
  if (draft.ref !== '') hint = t('values.kept');
  else if (environment) hint = t('models.keyEnv', { name: provider.keyEnv });
  else if (optional) hint = t('models.keyOptional');
  return (
    <div className="form-field">
      <Field
        label={t('models.key')}
        note={
          optional || environment || draft.key !== '' || draft.ref !== '' ? undefined : t('models.keyLater')
        }
        aside={
          provider.keyPage !== '' &&
          !elsewhere && (
            <button
              type="button"
              className="text-button form-aside"
              onClick={() => openLink(weft, provider.keyPage)}
            >
              {t('models.getKey')}
              <ExternalLink size={12} aria-hidden />
            </button>
          )
        }
      >
        {(control) => (
          <input
            {...control}
            className="field mono"
            data-focus="key"
            // biome-ignore lint/a11y/noAutofocus: the user has asked to change it
            autoFocus={focused}
            type="password"
            value={draft.key}
            placeholder={hint}
            onChange={(event) => onChange({ key: event.target.value })}
            onBlur={onLeave}
            autoComplete="off"
            spellCheck={false}
          />
        )}
      </Field>
      {(draft.key !== '' || draft.ref !== '') && (
        <div className="stored-key">
          <SecretLocation refs={[draft.key === '' ? draft.ref : '']} />
          {draft.ref !== '' && draft.key === '' && (
            <button type="button" className="text-button" onClick={() => onChange({ ref: '' })}>
              {t('models.forget')}
            </button>
          )}
        </div>
      )}
    </div>
  );
}
