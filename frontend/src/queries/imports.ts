import { keys } from '../cache/keys';
import { alwaysStale, useBackendQuery } from './useBackendQuery';

/** Conversations that other programs stored on this machine. */
export function useFoundConversations(enabled = true) {
  return useBackendQuery(keys.found, ({ transport }) => transport.call('FindConversations'), {
    ...alwaysStale,
    enabled,
  });
}

/** The current or last import of such conversations. */
export function useImport() {
  return useBackendQuery(keys.importJob, ({ transport }) => transport.call('ImportState'), alwaysStale);
}
