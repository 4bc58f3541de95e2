import { keepPreviousData } from '@tanstack/react-query';
import { keys } from '../cache/keys';
import type { Weft } from '../state/weft';
import type { ChangedFile } from '../transport/api';
import { alwaysStale, neverShared, useBackendQuery, useLatest, withCommandErrors } from './useBackendQuery';

const review = (spaceId: string) => (weft: Weft) => weft.transport.call('ReviewChanges', { spaceId });

/**
 * The files to review in a space. They are refetched on window focus, because the user may change files in an editor.
 */
export function useReview(spaceId: string) {
  return useBackendQuery(keys.changes(spaceId), review(spaceId), {
    ...alwaysStale,
    refetchOnWindowFocus: 'always',
  });
}

/** Reads the number of files to review in a space once. After that, the backend sends updates. */
export async function loadChangeCount(weft: Weft, spaceId: string): Promise<void> {
  const take = weft.beginReviewUpdate(spaceId);
  try {
    const { files } = await weft.queries.fetchQuery({
      ...alwaysStale,
      queryKey: keys.changes(spaceId),
      queryFn: () => withCommandErrors(review(spaceId)(weft)),
    });
    take(files?.length ?? 0);
  } catch {
    // The panel shows the error when it is opened.
  }
}

/** The current diff of a file. The previous one stays visible until the next one has loaded. */
export function useDiff(spaceId: string, file: ChangedFile | undefined) {
  const { id = -1, version = '', changed = false } = file ?? {};
  const { data, error } = useBackendQuery(
    keys.diff(spaceId, file?.id, version, changed),
    ({ transport }) => transport.call('ReviewDiff', { spaceId, fileId: id }),
    { ...alwaysStale, enabled: file !== undefined, placeholderData: keepPreviousData },
  );
  const last = useLatest(data);
  return { diff: file !== undefined && last?.id === file.id ? last : null, error: error?.message ?? '' };
}

/** The files that the agents of a space worked on, the most recent last. */
export function useVisited(spaceId: string) {
  return useBackendQuery(
    keys.visited(spaceId),
    async ({ transport }) => (await transport.call('VisitedPlaces', { spaceId })).places ?? [],
    neverShared,
  );
}
