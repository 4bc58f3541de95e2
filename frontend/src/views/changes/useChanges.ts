import { useCallback, useState } from 'react';
import { acceptChanges, redoChanges, rejectChanges } from '../../commands/changes';
import { t } from '../../i18n';
import { useReview } from '../../queries/changes';
import { sayFailed } from '../../state/notify';
import { useWeft } from '../../state/weft';
import type { ChangedFile, Outcome, Pick } from '../../transport/api';

export type Decision = 'accept' | 'reject';

/** What needs review in a space, and what is decided about it. */
export function useChanges(spaceId: string) {
  const weft = useWeft();
  const { data, error, refetch } = useReview(spaceId);
  const [left, setLeft] = useState<Outcome['left'] | null>(null);

  const decide = useCallback(
    async (decision: Decision, picks: Pick[]) => {
      try {
        const outcome =
          decision === 'accept'
            ? await acceptChanges(weft, spaceId, picks)
            : await rejectChanges(weft, spaceId, picks);
        setLeft(outcome.left.length > 0 ? outcome.left : null);
      } catch (failure) {
        sayFailed(t('failed.decide'), failure);
      }
      await refetch();
    },
    [weft, spaceId, refetch],
  );
  /** Takes back what was put back last. */
  const redo = useCallback(
    (turn: number) =>
      weft.attempt(t('failed.redo'), async () => {
        const back = await redoChanges(weft, spaceId, turn);
        setLeft(back.left.length > 0 ? back.left : null);
      }),
    [weft, spaceId],
  );
  return {
    changes: data ?? null,
    error: error?.message ?? '',
    left,
    decide,
    redo,
    dismiss: useCallback(() => setLeft(null), []),
  };
}

/** What is decided about a whole file. */
export function wholeFile(file: ChangedFile): Pick[] {
  const picks: Pick[] = [{ id: file.id, version: file.version, hunks: null }];
  if (file.also > 0) picks.push({ id: file.also, version: '', hunks: null });
  return picks;
}
