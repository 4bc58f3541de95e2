import { ChevronRight } from 'lucide-react';
import { useState } from 'react';
import { t } from '../../i18n';
import type { Agent, AgentProcess, SaveAgentRequest } from '../../transport/api';
import { oneLine } from '../parts/clean';
import { Field } from '../parts/Field';
import { TestFormFooter } from '../parts/TestFormFooter';
import { KeychainTrouble } from '../secrets/KeychainTrouble';
import { rowsOf, valuesOf } from '../secrets/rows';
import { ValueRows } from '../secrets/ValueRows';
import { joinWords, splitWords } from './commandLine';
import { ModelProxyField } from './ModelProxyField';
import { SandboxField } from './SandboxField';
import { TestResult } from './TestResult';
import { useAgentTest } from './useAgentTest';
import { useSaveAgent } from './useSaveAgent';

const notStartable = ['agent_missing', 'agent_not_executable'];

interface CommandFormProps {
  agent: Agent | null;
  onClose(): void;
  onSaved(agent: Agent): void;
}

/** An agent that is started by a command. */
export function CommandForm({ agent, onClose, onSaved }: CommandFormProps) {
  const test = useAgentTest();
  const saving = useSaveAgent(onSaved);
  const [name, setName] = useState(agent?.name ?? '');
  const [command, setCommand] = useState(agent?.command ?? '');
  const [args, setArgs] = useState(joinWords(agent?.args ?? []));
  const [env, setEnv] = useState(() => rowsOf(agent?.env ?? null, agent?.secretEnv ?? null));
  const fixed = agent?.cwd !== undefined && agent.cwd !== '' && agent.cwd !== 'space' && agent.cwd !== 'home';
  const [policy, setPolicy] = useState(fixed ? 'path' : agent?.cwd || 'space');
  const [path, setPath] = useState(fixed ? agent.cwd : '');
  const [process, setProcess] = useState<AgentProcess>(agent?.process ?? 'shared');
  const [sandbox, setSandbox] = useState(agent?.sandbox ?? null);
  const [modelProxy, setModelProxy] = useState(agent?.modelProxy ?? null);
  // Advanced settings are expanded if they were changed or need attention.
  const [special] = useState(
    process !== 'shared' || sandbox !== null || modelProxy !== null || (agent?.unasked ?? null) !== null,
  );

  const values = valuesOf(env, 'variable');
  const request: SaveAgentRequest = {
    id: agent?.id ?? '',
    name: name.trim(),
    command: command.trim(),
    args: splitWords(args),
    env: values.plain,
    secretEnv: values.secrets,
    cwd: policy === 'path' ? path.trim() : policy,
    process,
    sandbox,
    modelProxy,
  };
  const wrong = () => {
    if (values.wrong === null) return false;
    const { why, name: which } = values.wrong;
    saving.refuse(t(`values.wrong.${why}`, { name: oneLine(which) }));
    return true;
  };
  // If the user saves again after reading that the command wasn't found, they mean it.
  const unfound = notStartable.includes(saving.error?.code ?? '');
  const save = async () => {
    if (!wrong()) await saving.save({ ...request, find: !unfound });
  };
  return (
    <form
      className="form"
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <Field label={t('agentForm.name')}>
        {(control) => (
          <input
            {...control}
            className="field"
            value={name}
            onChange={(event) => setName(event.target.value)}
            required
          />
        )}
      </Field>
      <Field label={t('agentForm.command')} note={t('agentForm.commandNote')}>
        {(control) => (
          <input
            {...control}
            className="field mono"
            data-focus="command"
            value={command}
            onChange={(event) => {
              setCommand(event.target.value);
              saving.clear();
            }}
            onPaste={(event) => {
              // A whole command line pasted from a README.
              const [program = '', ...rest] = splitWords(event.clipboardData.getData('text'));
              if (command !== '' || args !== '' || rest.length === 0 || program.includes('/')) return;
              event.preventDefault();
              setCommand(program);
              saving.clear();
              setArgs(joinWords(rest));
            }}
            spellCheck={false}
            required={agent?.source !== 'builtin'}
          />
        )}
      </Field>
      <Field label={t('agentForm.args')} note={t('agentForm.argsNote')}>
        {(control) => (
          <input
            {...control}
            className="field mono"
            value={args}
            onChange={(event) => setArgs(event.target.value)}
            spellCheck={false}
          />
        )}
      </Field>
      <ValueRows label={t('agentForm.env')} kind="variable" rows={env} onChange={setEnv} />
      <Field label={t('agentForm.cwd')}>
        {(control) => (
          <select
            {...control}
            className="field"
            value={policy}
            onChange={(event) => setPolicy(event.target.value)}
          >
            <option value="space">{t('agentForm.cwdSpace')}</option>
            <option value="home">{t('agentForm.cwdHome')}</option>
            <option value="path">{t('agentForm.cwdPath')}</option>
          </select>
        )}
      </Field>
      {policy === 'path' && (
        <Field label={t('agentForm.path')}>
          {(control) => (
            <input
              {...control}
              className="field mono"
              value={path}
              onChange={(event) => setPath(event.target.value)}
              spellCheck={false}
              required
            />
          )}
        </Field>
      )}
      <details className="more" open={special}>
        <summary>
          <ChevronRight className="chevron" size={14} aria-hidden />
          {t('models.more')}
        </summary>
        <div className="form">
          <Field label={t('agentForm.process')} note={t('agentForm.processNote')}>
            {(control) => (
              <select
                {...control}
                className="field"
                value={process}
                onChange={(event) => setProcess(event.target.value === 'perSpace' ? 'perSpace' : 'shared')}
              >
                <option value="shared">{t('agentForm.processShared')}</option>
                <option value="perSpace">{t('agentForm.processPerSpace')}</option>
              </select>
            )}
          </Field>
          <SandboxField value={sandbox} unasked={agent?.unasked} onChange={setSandbox} />
          {agent?.source !== 'builtin' && (
            <ModelProxyField value={modelProxy} leads={agent?.leads ?? []} onChange={setModelProxy} />
          )}
        </div>
      </details>
      {saving.error !== null && <KeychainTrouble error={saving.error} onFile={() => void save()} />}
      {unfound && <p className="form-note">{t('agentForm.unfound')}</p>}
      <TestResult test={test} />
      <TestFormFooter
        test={test}
        empty={request.command === '' && agent?.source !== 'builtin'}
        onTest={() => {
          if (!wrong()) void test.run({ agent: request });
        }}
        onClose={onClose}
        busy={saving.busy}
        save={t(unfound ? 'agentForm.anyway' : agent === null ? 'agentForm.addButton' : 'agentForm.save')}
      />
    </form>
  );
}
