import { setSecretStore } from '../../commands/agents';
import { t } from '../../i18n';
import { useWeft } from '../../state/weft';
import type { CommandError } from '../../transport/transport';
import { Lines } from '../parts/Lines';
import './secrets.css';

/** An error; for the keychain, with a button to store secrets in a file from now on. */
export function KeychainTrouble({ error, onFile }: { error: CommandError; onFile(): void }) {
  const weft = useWeft();
  return (
    <div className="keychain-trouble" role="alert">
      <p className="field-error">
        <Lines text={error.message} />
      </p>
      {error.code.startsWith('keychain_') && (
        <>
          <button
            type="button"
            className="button"
            onClick={() =>
              void weft.attempt(t('failed.save'), async () => {
                await setSecretStore(weft, 'file');
                onFile();
              })
            }
          >
            {t('secrets.useFile')}
          </button>
          <p className="form-note">{t('secrets.place.file')}.</p>
        </>
      )}
    </div>
  );
}
