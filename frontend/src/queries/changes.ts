import { keepPreviousData } from '@tanstack/react-query';
import { keys } from '../cache/keys';
import type { Weft } from '../state/weft';
import type { ChangedFile } from '../transport/api';
import { asked, fresh, once, useAnswer, useLast } from './useAnswer';

const review = (spaceId: string) => (weft: Weft) => weft.transport.call('ReviewChanges', { spaceId });

/** What needs review in a space. The user may change files in an editor, so it is read again on the way back. */
export function useReview(spaceId: string) {
  return useAnswer(keys.changes(spaceId), review(spaceId), { ...fresh, refetchOnWindowFocus: 'always' });
}

/** Reads once how many files of a space need review; from then on the backend tells. */
export async function learnChanges(weft: Weft, spaceId: string): Promise<void> {
  const take = weft.reviewing(spaceId);
  try {
    const { files } = await weft.queries.fetchQuery({
      ...fresh,
      queryKey: keys.changes(spaceId),
      queryFn: () => asked(review(spaceId)(weft)),
    });
    take(files?.length ?? 0);
  } catch {
    // The panel says why, once it is opened.
  }
}

/** The diff of a file, as it is now. What was shown stays until the next one is there. */
export function useDiff(spaceId: string, file: ChangedFile | undefined) {
  const { id = -1, version = '', changed = false } = file ?? {};
  const { data, error } = useAnswer(
    keys.diff(spaceId, file?.id, version, changed),
    ({ transport }) => transport.call('ReviewDiff', { spaceId, fileId: id }),
    { ...fresh, enabled: file !== undefined, placeholderData: keepPreviousData },
  );
  const last = useLast(data);
  return { diff: file !== undefined && last?.id === file.id ? last : null, error: error?.message ?? '' };
}

/** The files that the agents of a space were at, the last one last. */
export function useVisited(spaceId: string) {
  return useAnswer(
    keys.visited(spaceId),
    async ({ transport }) => (await transport.call('VisitedPlaces', { spaceId })).places ?? [],
    once,
  );
}
