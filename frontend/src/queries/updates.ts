import { keys } from '../cache/keys';
import { t } from '../i18n';
import { useWeft } from '../state/weft';
import { useAnswer } from './useAnswer';

type Change =
  | 'CheckForUpdates'
  | 'InstallUpdate'
  | 'CancelUpdate'
  | 'RestartToUpdate'
  | 'PostponeUpdate'
  | 'DismissUpdateOutcome';

/** What is known about newer versions of Weft, and what the user can do about it. */
export function useUpdates() {
  const weft = useWeft();
  const { data, error, refetch } = useAnswer(keys.updates, ({ transport }) => transport.call('Updates'));
  /** Rejects where it is refused. */
  const change = async (command: Change) => {
    const take = weft.answering(keys.updates);
    take(await weft.transport.call(command));
  };
  const choose = (daily: boolean) =>
    weft.attempt(t('failed.save'), async () => {
      const take = weft.answering(keys.updates);
      take(await weft.transport.call('SaveUpdateChecks', { daily }));
    });
  return { updates: data ?? null, error, refetch, change, choose };
}
