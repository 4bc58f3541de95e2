import { keys } from '../cache/keys';
import { t } from '../i18n';
import { useWeft } from '../state/weft';
import type { SaveBackgroundRequest } from '../transport/api';
import { useBackendQuery } from './useBackendQuery';

/** The setting for what Weft does without a window, and a function to change it. */
export function useBackground() {
  const weft = useWeft();
  const { data, error, refetch } = useBackendQuery(keys.background, ({ transport }) =>
    transport.call('Background'),
  );
  const save = (change: Partial<SaveBackgroundRequest>) =>
    weft.attempt(t('failed.save'), async () => {
      const take = weft.beginUpdate(keys.background);
      take(await weft.transport.call('SaveBackground', { whenClosed: null, atLogin: null, ...change }));
    });
  return { background: data ?? null, error, refetch, save };
}
