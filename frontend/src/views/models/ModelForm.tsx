import { useEffect, useState } from 'react';
import { t } from '../../i18n';
import { useModelProviders } from '../../queries/settings';
import { showFailure } from '../../state/notify';
import type { Agent, ModelProvider } from '../../transport/api';
import { TestFormFooter } from '../parts/TestFormFooter';
import { KeychainTrouble } from '../secrets/KeychainTrouble';
import { TestResult } from '../settings/TestResult';
import { useAgentTest } from '../settings/useAgentTest';
import { useSaveAgent } from '../settings/useSaveAgent';
import { draftOf, requestOf, usualName } from './draft';
import { ModelFields } from './ModelFields';
import { useModels } from './useModels';
import './models.css';

interface ModelFormProps {
  /** The agent to edit; null adds one. */
  agent: Agent | null;
  /** The field that the user wants to change. */
  focus: string | null;
  onClose(): void;
  onSaved(agent: Agent): void;
}

/** An agent that is a provider's model with the user's own key. */
export function ModelForm(props: ModelFormProps) {
  const { data: providers, error } = useModelProviders();
  useEffect(() => {
    if (error !== null) showFailure(t('failed.agent'), error);
  }, [error]);
  return providers === undefined ? (
    <div className="model-form-later" />
  ) : (
    <Form {...props} providers={providers} />
  );
}

function Form({
  agent,
  focus,
  providers,
  onClose,
  onSaved,
}: ModelFormProps & { providers: readonly ModelProvider[] }) {
  const test = useAgentTest();
  const saving = useSaveAgent(onSaved);
  const models = useModels();
  const [began] = useState(() => draftOf(agent, providers));
  const [draft, setDraft] = useState(began);
  const named = draft.ownName ? draft : { ...draft, name: usualName(draft, models.found.models, providers) };
  const request = requestOf(named, agent, providers);
  const wrong = () => {
    if (request !== null) return false;
    saving.refuse(t('models.wrongAddress'));
    return true;
  };
  const save = async () => {
    if (wrong() || request === null) return;
    await saving.save(request);
  };
  return (
    <form
      className="form"
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <ModelFields
        draft={named}
        began={began}
        focus={focus}
        agentId={agent?.id ?? ''}
        providers={providers}
        models={models}
        onChange={(next) => {
          setDraft(next);
          saving.clear();
          test.clear();
        }}
      />
      {saving.error !== null && <KeychainTrouble error={saving.error} onFile={() => void save()} />}
      <TestResult test={test} />
      <TestFormFooter
        test={test}
        empty={request === null}
        onTest={() => {
          if (!wrong() && request !== null) void test.run({ agent: request });
        }}
        onClose={onClose}
        busy={saving.busy}
        save={agent === null ? t('agentForm.addButton') : t('agentForm.save')}
      />
    </form>
  );
}
