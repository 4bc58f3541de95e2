import { useEffect, useState } from 'react';
import { t } from '../../i18n';
import { useStore } from '../../state/store';
import { useWeft } from '../../state/weft';
import type { SecretStore, Secrets } from '../../transport/api';

/** Where secrets are kept, and the way to choose that. */
export function useSecrets(): { secrets: Secrets | null; choose(store: SecretStore): Promise<void> } {
  const weft = useWeft();
  const [secrets, setSecrets] = useState<Secrets | null>(null);
  // Any change of the settings is told in this way.
  const version = useStore(weft.store, (state) => state.mcpVersion);
  // biome-ignore lint/correctness/useExhaustiveDependencies: asked again when something has changed
  useEffect(() => {
    let gone = false;
    weft.transport.call('Secrets').then(
      (found) => !gone && setSecrets(found),
      () => {
        // What wants it says so by itself.
      },
    );
    return () => {
      gone = true;
    };
  }, [weft, version]);
  const choose = (store: SecretStore) =>
    weft.attempt(t('failed.save'), async () =>
      setSecrets(await weft.transport.call('SetSecretStore', { store })),
    );
  return { secrets, choose };
}
