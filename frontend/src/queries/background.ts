import { keys } from '../cache/keys';
import { t } from '../i18n';
import { useWeft } from '../state/weft';
import type { SaveBackgroundRequest } from '../transport/api';
import { useAnswer } from './useAnswer';

/** What Weft does without its window, and the way to change it. */
export function useBackground() {
  const weft = useWeft();
  const { data, error, refetch } = useAnswer(keys.background, ({ transport }) =>
    transport.call('Background'),
  );
  const save = (change: Partial<SaveBackgroundRequest>) =>
    weft.attempt(t('failed.save'), async () => {
      const take = weft.answering(keys.background);
      take(await weft.transport.call('SaveBackground', { whenClosed: null, atLogin: null, ...change }));
    });
  return { background: data ?? null, error, refetch, save };
}
