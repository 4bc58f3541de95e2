import { keepPreviousData } from '@tanstack/react-query';
import { keys } from '../cache/keys';
import { hitKey } from '../state/everySearch';
import type { SearchHit } from '../transport/api';
import { once, useAnswer } from './useAnswer';

/** The text that a hit is in, with what is looked for marked. */
export function useSearchPreview(hit: SearchHit, query: string) {
  const { spaceId, messageId, segment, item, pos } = hit;
  return useAnswer(
    keys.searchPreview(hitKey(hit), query),
    ({ transport }) =>
      transport.call('SearchPreview', { query, spaceId, messageId, segment, item, pos: pos ?? 0 }),
    { ...once, placeholderData: keepPreviousData },
  );
}
