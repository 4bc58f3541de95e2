import { t } from '../../i18n';
import { useStore } from '../../state/store';
import { useWeft } from '../../state/weft';
import { oneLine } from '../parts/clean';
import { clock, remaining } from '../parts/numbers';
import { useSeconds } from '../parts/useNow';
import { showsDataFolder } from './fixes';
import './errors.css';

/** Details that help with an error: when to try again, where the data is stored. */
export function ErrorFacts({ failure }: { failure: { code: string; retryAt?: number } }) {
  const weft = useWeft();
  const dataDir = useStore(weft.server, (state) => state.about.dataDir);
  return (
    <>
      {(failure.retryAt ?? 0) > 0 && <RetryAt at={failure.retryAt ?? 0} />}
      {showsDataFolder(failure.code) && dataDir !== '' && (
        <p className="error-facts">{t('error.dataFolder', { path: oneLine(dataDir) })}</p>
      )}
    </>
  );
}

function RetryAt({ at }: { at: number }) {
  const now = useSeconds(Date.now() < at);
  if (now >= at) return null;
  return (
    <p className="error-facts tabular">
      {t('error.retryAt', { time: clock(at), left: remaining(at - now) })}
    </p>
  );
}
