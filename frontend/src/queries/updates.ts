import { keys } from '../cache/keys';
import { t } from '../i18n';
import { useWeft } from '../state/weft';
import { useBackendQuery } from './useBackendQuery';

type Change =
  | 'CheckForUpdates'
  | 'InstallUpdate'
  | 'CancelUpdate'
  | 'RestartToUpdate'
  | 'PostponeUpdate'
  | 'DismissUpdateOutcome';

/** The status of updates, and the actions that the user can take. */
export function useUpdates() {
  const weft = useWeft();
  const { data, error, refetch } = useBackendQuery(keys.updates, ({ transport }) =>
    transport.call('Updates'),
  );
  /** Rejects if the backend refuses. */
  const change = async (command: Change) => {
    const take = weft.beginUpdate(keys.updates);
    take(await weft.transport.call(command));
  };
  const choose = (daily: boolean) =>
    weft.attempt(t('failed.save'), async () => {
      const take = weft.beginUpdate(keys.updates);
      take(await weft.transport.call('SaveUpdateChecks', { daily }));
    });
  return { updates: data ?? null, error, refetch, change, choose };
}
