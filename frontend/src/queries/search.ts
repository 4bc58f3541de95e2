import { keepPreviousData } from '@tanstack/react-query';
import { keys } from '../cache/keys';
import { hitKey } from '../state/globalSearch';
import type { SearchHit } from '../transport/api';
import { neverShared, useBackendQuery } from './useBackendQuery';

/** The text around a match, with the matches marked. */
export function useSearchPreview(hit: SearchHit, query: string) {
  const { spaceId, messageId, segment, item, pos } = hit;
  return useBackendQuery(
    keys.searchPreview(hitKey(hit), query),
    ({ transport }) =>
      transport.call('SearchPreview', { query, spaceId, messageId, segment, item, pos: pos ?? 0 }),
    { ...neverShared, placeholderData: keepPreviousData },
  );
}
