import { keys } from '../cache/keys';
import { notices } from '../transport/notices';
import { useBackendQuery } from './useBackendQuery';

/** The third-party licenses; null if this build has none. */
export function useNotices() {
  return useBackendQuery(keys.notices, notices, { staleTime: Number.POSITIVE_INFINITY });
}
