import { keys } from '../cache/keys';
import { t } from '../i18n';
import { useWeft } from '../state/weft';
import { useAnswer } from './useAnswer';

/** The backups that Weft has made by itself, and the way to choose whether it does. */
export function useBackups() {
  const weft = useWeft();
  const { data, error, refetch } = useAnswer(keys.backups, ({ transport }) => transport.call('Backups'));
  const choose = (daily: boolean) =>
    weft.attempt(t('failed.save'), async () => {
      const take = weft.answering(keys.backups);
      take(await weft.transport.call('SaveDailyBackups', { daily }));
    });
  const make = async () => {
    const take = weft.answering(keys.backups);
    take(await weft.transport.call('BackUp'));
  };
  return { backups: data ?? null, error, refetch, choose, make };
}
