import { keys } from '../cache/keys';
import { notices } from '../transport/notices';
import { useAnswer } from './useAnswer';

/** The licenses of what others have made of Weft; null if this build has none. */
export function useNotices() {
  return useAnswer(keys.notices, notices, { staleTime: Number.POSITIVE_INFINITY });
}
