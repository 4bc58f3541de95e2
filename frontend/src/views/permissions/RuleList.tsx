import { Search } from 'lucide-react';
import { useState } from 'react';
import { saveRules } from '../../commands/permissions';
import { t } from '../../i18n';
import { useRules } from '../../queries/permissions';
import { useStore } from '../../state/store';
import { useWeft } from '../../state/weft';
import type { ListedRule, Rule } from '../../transport/api';
import { FailedRead } from '../parts/FailedRead';
import { FormDialog } from '../parts/FormDialog';
import { count } from '../parts/numbers';
import { RuleForm } from './RuleForm';
import { RuleRow } from './RuleRow';

/** How many rows are rendered at once, and the number of rules from which they can be searched. */
const step = 100;
const many = 8;

export const newRule: Rule = {
  id: '',
  effect: 'allow',
  scope: 'everywhere',
  spaceId: '',
  folder: '',
  agentId: '',
  kind: '',
  command: '',
  path: '',
  tool: '',
  enabled: true,
  createdAt: 0,
  used: 0,
  lastUsed: 0,
};

/** The rules, newest first. */
export function RuleList({ form, onForm }: { form: Rule | null; onForm: (rule: Rule | null) => void }) {
  const weft = useWeft();
  const { data: rules, error, refetch } = useRules();
  const row = useStore(weft.shown, (state) => state.settings.at?.row ?? '');
  const wanted = row.startsWith('rule-') ? row.slice('rule-'.length) : null;
  const [query, setQuery] = useState('');
  const [shown, setShown] = useState(step);
  const found = rules?.filter((rule) => fits(rule, query)) ?? [];
  const at = found.findIndex(({ id }) => id === wanted);
  const visible = found.slice(0, Math.max(shown, at + 1));

  const save = async (list: Rule[]) => {
    await saveRules(weft, list);
    onForm(null);
  };
  if (error !== null) return <FailedRead error={error} onAgain={() => void refetch()} />;
  if (rules === undefined) return <p className="quiet-text delayed">{t('loading')}</p>;
  return (
    <>
      {rules.length > many && (
        <label className="search rules-search">
          <Search size={14} aria-hidden />
          <input
            type="search"
            aria-label={t('rule.search')}
            placeholder={t('rule.search')}
            value={query}
            onChange={(event) => setQuery(event.target.value)}
          />
        </label>
      )}
      {wanted !== null && at < 0 && query === '' && (
        <p className="settings-lead" role="status">
          {t('rule.gone')}
        </p>
      )}
      {found.length === 0 ? (
        <p className="permissions-empty">{rules.length === 0 ? t('rule.none') : t('rule.noneFound')}</p>
      ) : (
        <ul className="rules" aria-label={t('permissions.rules')}>
          {visible.map((rule) => (
            <RuleRow key={rule.id} rule={rule} wanted={rule.id === wanted} onEdit={() => onForm(rule)} />
          ))}
        </ul>
      )}
      {found.length > visible.length && (
        <button type="button" className="text-button" onClick={() => setShown(visible.length + step)}>
          {t('rule.more', {
            count: found.length - visible.length,
            n: count(Math.min(step, found.length - visible.length)),
          })}
        </button>
      )}
      {form !== null && (
        <FormDialog
          title={form.id === '' ? t('rule.addTitle') : t('rule.editTitle')}
          onClose={() => onForm(null)}
        >
          <RuleForm
            rule={form}
            commands={form.command === '' ? [] : [form.command]}
            from={null}
            onSave={save}
            onClose={() => onForm(null)}
          />
        </FormDialog>
      )}
    </>
  );
}

function fits(rule: ListedRule, query: string): boolean {
  const text = [rule.command, rule.path, rule.kind, rule.folder, rule.space, rule.agentName, rule.effect]
    .join(' ')
    .toLowerCase();
  return query
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}
