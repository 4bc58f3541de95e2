import { keys } from '../cache/keys';
import { t } from '../i18n';
import { useWeft } from '../state/weft';
import { useBackendQuery } from './useBackendQuery';

/** The automatic backups, and a function to turn them on or off. */
export function useBackups() {
  const weft = useWeft();
  const { data, error, refetch } = useBackendQuery(keys.backups, ({ transport }) =>
    transport.call('Backups'),
  );
  const choose = (daily: boolean) =>
    weft.attempt(t('failed.save'), async () => {
      const take = weft.beginUpdate(keys.backups);
      take(await weft.transport.call('SaveDailyBackups', { daily }));
    });
  const make = async () => {
    const take = weft.beginUpdate(keys.backups);
    take(await weft.transport.call('BackUp'));
  };
  return { backups: data ?? null, error, refetch, choose, make };
}
