import { ChevronRight } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { t } from '../../i18n';
import type { ModelProvider } from '../../transport/api';
import { Field } from '../parts/Field';
import { canAsk, choiceOf, compatible, type Draft, keyOf, providerOf, whereOf, withCard } from './draft';
import { KeyField } from './KeyField';
import { ModelInput } from './ModelInput';
import { ModelStatus } from './ModelStatus';
import { ProviderCards } from './ProviderCards';
import type { useModels } from './useModels';

interface ModelFieldsProps {
  draft: Draft;
  /** The initial form state. */
  began: Draft;
  focus: string | null;
  /** The agent whose stored key is used; empty for a new one. */
  agentId: string;
  providers: readonly ModelProvider[];
  models: ReturnType<typeof useModels>;
  onChange(draft: Draft): void;
}

/** Provider, address, key and model. */
export function ModelFields({ draft, began, focus, agentId, providers, models, onChange }: ModelFieldsProps) {
  const set = (what: Partial<Draft>) => {
    // The result for another key or address no longer applies.
    if ('key' in what || 'ref' in what || 'baseUrl' in what || 'api' in what) models.clear();
    onChange({ ...draft, ...what });
  };
  const provider = providerOf(draft.card, providers);
  const now = useRef(draft);
  now.current = draft;

  const ask = async (one: Draft, again = false) => {
    const model = choiceOf(one, providers);
    if (model === null || !canAsk(one, providers)) {
      models.clear();
      return;
    }
    const found = await models.ask({ agentId, model, secretEnv: keyOf(one, providers) }, again);
    const first = found[0];
    // If the default model depends on what is installed, choose the first one available.
    if (
      first !== undefined &&
      now.current.card === one.card &&
      now.current.model === '' &&
      !now.current.ownModel
    )
      onChange({ ...now.current, model: first.id });
  };
  // If the form already has everything needed, load the models at once.
  const asked = useRef(false);
  useEffect(() => {
    if (asked.current) return;
    asked.current = true;
    if (canAsk(draft, providers)) void ask(draft);
  });
  if (provider === undefined) return null;
  const where = whereOf(draft, providers);
  const keyLater = provider.local && draft.card !== compatible;
  const key = (
    <KeyField
      focused={focus === 'key'}
      draft={draft}
      provider={provider}
      onChange={set}
      onLeave={() => void ask(draft)}
    />
  );
  return (
    <>
      <ProviderCards
        providers={providers}
        card={draft.card}
        onChoose={(card) => {
          const next = withCard(draft, card, began, providers);
          onChange(next);
          void ask(next);
        }}
      />
      {draft.card === compatible && (
        <Address
          label={t('models.address')}
          note={t('models.addressNote')}
          draft={draft}
          placeholder="http://127.0.0.1:1234/v1"
          required
          onChange={set}
          onLeave={() => void ask(draft)}
        />
      )}
      {!keyLater && key}
      <div className="form-field">
        <Field label={t('models.model')}>
          {(control) => (
            <ModelInput
              control={control}
              focused={focus === 'model'}
              value={draft.model}
              models={models.found.models}
              onChange={(model) => set({ model, ownModel: true })}
              onFocus={() => void ask(draft)}
            />
          )}
        </Field>
        <ModelStatus
          found={models.found}
          model={draft.model}
          where={where}
          local={keyLater}
          onAgain={() => void ask(draft, true)}
        />
      </div>
      <Field label={t('models.name')}>
        {(control) => (
          <input
            {...control}
            className="field"
            value={draft.name}
            onChange={(event) => set({ name: event.target.value, ownName: event.target.value !== '' })}
            required
          />
        )}
      </Field>
      {(draft.card !== compatible || provider.apis.length > 1) && (
        <details className="more model-more" open={began.card !== compatible && began.baseUrl !== ''}>
          <summary>
            <ChevronRight className="chevron" size={14} aria-hidden />
            {t('models.more')}
          </summary>
          <div className="form">
            {draft.card !== compatible && (
              <Address
                label={t('models.baseUrl')}
                note={keyLater ? undefined : t('models.baseUrlNote')}
                draft={draft}
                placeholder={provider.baseUrl}
                onChange={set}
                onLeave={() => void ask(draft)}
              />
            )}
            {keyLater && key}
            {provider.apis.length > 1 && (
              <Field label={t('models.api')}>
                {(control) => (
                  <select
                    {...control}
                    className="field"
                    value={draft.api}
                    onChange={(event) => set({ api: event.target.value })}
                  >
                    <option value="">{t('models.apis.auto')}</option>
                    {provider.apis.map((api) => (
                      <option key={api} value={api}>
                        {api === 'chat' || api === 'responses' ? t(`models.apis.${api}`) : api}
                      </option>
                    ))}
                  </select>
                )}
              </Field>
            )}
          </div>
        </details>
      )}
    </>
  );
}

interface AddressProps {
  label: string;
  note: string | undefined;
  draft: Draft;
  placeholder: string;
  required?: boolean;
  onChange(what: Partial<Draft>): void;
  onLeave(): void;
}

function Address({ label, note, draft, placeholder, required, onChange, onLeave }: AddressProps) {
  return (
    <Field label={label} note={note}>
      {(control) => (
        <input
          {...control}
          className="field mono"
          inputMode="url"
          value={draft.baseUrl}
          placeholder={placeholder}
          required={required ?? false}
          onChange={(event) => onChange({ baseUrl: event.target.value })}
          onBlur={onLeave}
          spellCheck={false}
          autoComplete="off"
        />
      )}
    </Field>
  );
}
