import { useState } from 'react';
import { saveCallRule } from '../../commands/calls';
import { t } from '../../i18n';
import { useStore } from '../../state/store';
import { useWeft } from '../../state/weft';
import type { CallRule } from '../../transcript/looks';
import { oneLine } from '../parts/clean';
import { Field } from '../parts/Field';
import { FormDialog } from '../parts/FormDialog';
import { inactiveWhile } from '../parts/inactiveWhile';
import { Lines } from '../parts/Lines';
import { Segments } from '../parts/Segments';
import { useSave } from '../parts/useSave';
import { serverName } from '../tools/useLook';

interface CallRuleFormProps {
  /** The rule to change; null adds one. */
  rule: CallRule | null;
  onClose(): void;
}

const fresh: CallRule = { agent: '', server: '', tool: '', visibility: 'hidden' };

/** Adds or edits a rule for calls. */
export function CallRuleForm({ rule, onClose }: CallRuleFormProps) {
  const weft = useWeft();
  const saving = useSave();
  const agents = useStore(weft.server, (state) => state.agents).filter(
    ({ id, installed }) => installed || id === rule?.agent,
  );
  const known = useStore(weft.server, (state) => state.toolCalls.servers);
  const [now, setNow] = useState(rule ?? fresh);
  const servers =
    rule === null || rule.server === '' || known.includes(rule.server) ? known : [...known, rule.server];
  const change = (next: Partial<CallRule>) => {
    setNow({ ...now, ...next });
    saving.clear();
  };
  const save = () => {
    if (now.tool.trim() === '') return saving.refuse(t('callRules.needsTool'));
    void saving.run(async () => {
      const was = rule === null ? null : { agent: rule.agent, server: rule.server, tool: rule.tool };
      await saveCallRule(weft, { was, rule: { ...now, tool: now.tool.trim() } });
      onClose();
    });
  };
  const gone = now.agent !== '' && !agents.some(({ id }) => id === now.agent);
  return (
    <FormDialog title={rule === null ? t('callRules.addTitle') : t('callRules.editTitle')} onClose={onClose}>
      <form
        className="form"
        onSubmit={(event) => {
          event.preventDefault();
          save();
        }}
      >
        <Field label={t('callRules.tool')} note={t('callRules.toolNote')}>
          {(control) => (
            <input
              {...control}
              className="field mono"
              value={now.tool}
              maxLength={300}
              spellCheck={false}
              autoComplete="off"
              onChange={(event) => change({ tool: event.target.value })}
            />
          )}
        </Field>
        <Field label={t('callRules.server')} note={t('callRules.serverNote')}>
          {(control) => (
            <select
              {...control}
              className="field"
              value={now.server}
              onChange={(event) => change({ server: event.target.value })}
            >
              <option value="">{t('callRules.noServer')}</option>
              {servers.map((name) => (
                <option key={name} value={name}>
                  {serverName(name)}
                </option>
              ))}
            </select>
          )}
        </Field>
        <Field label={t('callRules.agent')} note={now.agent === '' ? t('callRules.agentNote') : undefined}>
          {(control) => (
            <select
              {...control}
              className="field"
              value={now.agent}
              onChange={(event) => change({ agent: event.target.value })}
            >
              <option value="">{t('callRules.anyAgent')}</option>
              {gone && <option value={now.agent}>{t('callRules.goneAgent', { id: now.agent })}</option>}
              {agents.map(({ id, name }) => (
                <option key={id} value={id}>
                  {oneLine(name)}
                </option>
              ))}
            </select>
          )}
        </Field>
        <fieldset className="form-field call-as">
          <legend className="form-label">{t('callRules.as')}</legend>
          <Segments
            value={now.visibility}
            options={[
              ['full', t('looks.as.full')],
              ['minimal', t('looks.as.minimal')],
              ['hidden', t('looks.as.hidden')],
            ]}
            onChoose={(visibility) => change({ visibility })}
          />
          <span className="form-note">{t(`callRules.asNote.${now.visibility}`)}</span>
        </fieldset>
        {saving.error !== null && (
          <p className="field-error" role="alert">
            <Lines text={saving.error.message} />
          </p>
        )}
        <div className="dialog-foot">
          <span className="grow" />
          <button type="button" className="button plain" onClick={onClose}>
            {t('cancel')}
          </button>
          <button type="submit" className="button primary" {...inactiveWhile(saving.busy)}>
            {rule === null ? t('callRules.add') : t('agentForm.save')}
          </button>
        </div>
      </form>
    </FormDialog>
  );
}
