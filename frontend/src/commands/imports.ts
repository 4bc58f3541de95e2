import { keys } from '../cache/keys';
import { t } from '../i18n';
import type { Weft } from '../state/weft';
import type { ConversationsFilter } from '../transport/api';

/** Starts importing conversations from other programs. */
export async function importConversations(weft: Weft, filter: ConversationsFilter): Promise<void> {
  const take = weft.beginUpdate(keys.importJob);
  take(await weft.transport.call('ImportConversations', filter));
}

export function cancelImport(weft: Weft): Promise<void> {
  return weft.attempt(t('failed.cancelImport'), async () => {
    const take = weft.beginUpdate(keys.importJob);
    take(await weft.transport.call('CancelImport'));
  });
}

/** Notes that the user doesn't want to be asked about importing conversations. */
export async function declineImport(weft: Weft): Promise<void> {
  await weft.transport.call('DeclineImport');
  weft.outdated(keys.found);
}
