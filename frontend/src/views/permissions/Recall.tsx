import { t } from '../../i18n';
import { useRecall } from '../../queries/settings';

const scopes = ['folder', 'space', 'all', 'off'] as const;

/** Settings: which earlier conversations agents may search. */
export function Recall() {
  const { scope, choose } = useRecall();
  return (
    <fieldset id="settings-recall" className="recall" disabled={scope === null}>
      <legend className="form-label">{t('recall.title')}</legend>
      <p className="form-note">{t('recall.lead')}</p>
      {scopes.map((one) => (
        <label key={one} className="recall-scope">
          <input type="radio" name="recall" checked={scope === one} onChange={() => void choose(one)} />
          {t(`recall.scope.${one}`)}
        </label>
      ))}
    </fieldset>
  );
}
