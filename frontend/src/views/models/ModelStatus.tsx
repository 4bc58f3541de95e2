import { t } from '../../i18n';
import { translated } from '../../i18n/said';
import { oneLine } from '../parts/clean';
import { Lines } from '../parts/Lines';
import { count } from '../parts/numbers';
import type { Models } from './useModels';

interface ModelStatusProps {
  found: Models;
  model: string;
  /** The provider that was asked. */
  where: string;
  local: boolean;
  onAgain(): void;
}

/** The result of loading the models. */
export function ModelStatus({ found, model, where, local, onAgain }: ModelStatusProps) {
  return (
    <div className="model-status" aria-live="polite">
      {found.state === 'asking' && (
        <p className="form-note shimmer">{t('models.asking', { where: oneLine(where) })}</p>
      )}
      {found.state === 'listed' && (
        <p className="form-note">
          {listed(
            found.models.map(({ id }) => id),
            model.trim(),
            oneLine(where),
            local,
          )}
        </p>
      )}
      {found.state === 'failed' && (
        <p className="field-error">
          <Lines text={found.failure === null ? '' : translated(found.failure)} />
        </p>
      )}
      {(found.state === 'failed' || (found.state === 'listed' && found.models.length === 0)) && (
        <button type="button" className="text-button" onClick={onAgain}>
          {t('again')}
        </button>
      )}
    </div>
  );
}

function listed(ids: readonly string[], model: string, where: string, local: boolean): string {
  const n = ids.length;
  if (n === 0) return local ? t('models.noneLocal') : t('models.none', { where });
  if (model !== '' && !ids.includes(model)) return t('models.unlisted', { where, model: oneLine(model) });
  return t('models.listed', { count: n, n: count(n) });
}
