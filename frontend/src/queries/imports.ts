import { keys } from '../cache/keys';
import { fresh, useAnswer } from './useAnswer';

/** The conversations that other programs have kept on this machine. */
export function useFound(enabled = true) {
  return useAnswer(keys.found, ({ transport }) => transport.call('FindConversations'), { ...fresh, enabled });
}

/** The import of such conversations that is in progress, or that was last. */
export function useImport() {
  return useAnswer(keys.importJob, ({ transport }) => transport.call('ImportState'), fresh);
}
