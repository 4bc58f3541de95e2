import { Plus } from 'lucide-react';
import { useState } from 'react';
import { t } from '../../i18n';
import { useStore } from '../../state/store';
import { useWeft } from '../../state/weft';
import type { Rule } from '../../transport/api';
import { Segments } from '../parts/Segments';
import { History } from './History';
import { Recall } from './Recall';
import { newRule, RuleList } from './RuleList';
import './permissions.css';

/** Settings: what is answered without asking, and the history of decisions. */
export function PermissionSettings() {
  const weft = useWeft();
  const view = useStore(weft.shown, (state) => state.settings.permissions);
  const [form, setForm] = useState<Rule | null>(null);
  return (
    <section className="settings-part" aria-labelledby="settings-permissions">
      <div className="settings-head permissions-head">
        <h2 id="settings-permissions">{t('permissions.title')}</h2>
        <span className="grow" />
        {view === 'rules' && (
          <button id="settings-add-rule" type="button" className="button" onClick={() => setForm(newRule)}>
            <Plus size={14} aria-hidden />
            {t('rule.add')}
          </button>
        )}
      </div>
      <p className="settings-lead">{t('permissions.lead')}</p>
      <fieldset className="permissions-view" id="settings-permissions-view">
        <legend className="visually-hidden">{t('permissions.view')}</legend>
        <Segments
          value={view}
          options={(['rules', 'history'] as const).map((one) => [one, t(`permissions.${one}`)])}
          onChoose={(permissions) =>
            weft.shown.set({ settings: { ...weft.shown.get().settings, permissions } })
          }
        />
      </fieldset>
      {view === 'rules' && <Recall />}
      {view === 'rules' ? <RuleList form={form} onForm={setForm} /> : <History />}
    </section>
  );
}
