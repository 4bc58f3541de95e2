import { t } from '../../i18n';
import { useSecrets } from '../../queries/settings';
import { count } from '../parts/numbers';
import { LeftOut } from './LeftOut';
import './secrets.css';

/** Settings: where new secrets are stored. */
export function SecretSettings() {
  const { secrets, choose } = useSecrets();
  return (
    <section className="settings-part" aria-labelledby="settings-secrets">
      <h2 id="settings-secrets">{t('secrets.title')}</h2>
      <p className="settings-lead">{t('secrets.lead')}</p>
      <fieldset id="settings-secret-store" className="secret-places" disabled={secrets === null}>
        <legend className="form-label">{t('secrets.new')}</legend>
        {(['keychain', 'file'] as const).map((place) => (
          <label key={place} className="secret-place">
            <input
              type="radio"
              name="secret-store"
              checked={secrets?.store === place}
              onChange={() => void choose(place)}
            />
            <span>
              {t(`secrets.place.${place}`)}
              {(secrets?.[place] ?? 0) > 0 && (
                <span className="tag">{t('secrets.count', { n: count(secrets?.[place] ?? 0) })}</span>
              )}
            </span>
          </label>
        ))}
      </fieldset>
      <LeftOut title={t('secrets.missing')} places={secrets?.missing ?? []} />
    </section>
  );
}
