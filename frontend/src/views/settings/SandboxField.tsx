import { t } from '../../i18n';
import type { Sandbox, Unasked } from '../../transport/api';
import { exactLine } from '../parts/exact';
import { Field } from '../parts/Field';

interface SandboxFieldProps {
  value: Sandbox | null;
  /** What the agent did without asking. */
  unasked?: Unasked | null | undefined;
  onChange(value: Sandbox | null): void;
}

/** Whether an agent runs in a sandbox, and with network access. Other settings of the sandbox stay unchanged. */
export function SandboxField({ value, unasked = null, onChange }: SandboxFieldProps) {
  const chosen = value === null ? 'off' : value.network === 'blocked' ? 'blocked' : 'on';
  const note = t(`agentForm.sandboxNote.${chosen}`);
  const seen =
    unasked === null || unasked.about === ''
      ? ''
      : ` ${t('agentForm.sandboxUnasked', { about: exactLine(unasked.about) })}`;
  return (
    <Field label={t('agentForm.sandbox')} note={`${note}${seen}`}>
      {(control) => (
        <select
          {...control}
          className="field"
          value={chosen}
          onChange={(event) => {
            const next = event.target.value;
            onChange(
              next === 'off' ? null : { ...value, network: next === 'blocked' ? 'blocked' : 'allowed' },
            );
          }}
        >
          <option value="off">{t('agentForm.sandboxOff')}</option>
          <option value="on">{t('agentForm.sandboxOn')}</option>
          <option value="blocked">{t('agentForm.sandboxBlocked')}</option>
        </select>
      )}
    </Field>
  );
}
