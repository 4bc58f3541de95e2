import { useCallback, useRef, useState } from 'react';
import { acceptChanges, redoChanges, rejectChanges, reopenChanges } from '../../commands/changes';
import { t } from '../../i18n';
import { useReview } from '../../queries/changes';
import { showFailure } from '../../state/notify';
import { useWeft } from '../../state/weft';
import type { ChangedFile, Outcome, Pick } from '../../transport/api';

export type Decision = 'accept' | 'reject';

/** The files to review in a space, and the decisions about them. */
export function useChanges(spaceId: string) {
  const weft = useWeft();
  const { data, error, refetch } = useReview(spaceId);
  const [left, setLeft] = useState<Outcome['left'] | null>(null);
  /** The files of the last decision, if it accepted them. */
  const accepted = useRef<readonly string[]>([]);
  const files = useRef(data?.files);
  files.current = data?.files;

  const decide = useCallback(
    async (decision: Decision, picks: Pick[]) => {
      const before = files.current ?? [];
      try {
        const outcome =
          decision === 'accept'
            ? await acceptChanges(weft, spaceId, picks)
            : await rejectChanges(weft, spaceId, picks);
        setLeft(outcome.left.length > 0 ? outcome.left : null);
        const ids = picks.map(({ id }) => id);
        accepted.current =
          decision === 'accept' ? before.filter(({ id }) => ids.includes(id)).flatMap(pathsOf) : [];
      } catch (failure) {
        showFailure(t('failed.decide'), failure);
      }
      await refetch();
    },
    [weft, spaceId, refetch],
  );
  /** Undoes the last rejection. */
  const redo = useCallback(
    (turn: number) =>
      weft.attempt(t('failed.redo'), async () => {
        const back = await redoChanges(weft, spaceId, turn);
        setLeft(back.left.length > 0 ? back.left : null);
      }),
    [weft, spaceId],
  );
  const reopen = useCallback(
    (paths: readonly string[]) =>
      weft.attempt(t('failed.reopen'), async () => {
        accepted.current = [];
        const back = await reopenChanges(weft, spaceId, paths);
        setLeft(back.left.length > 0 ? back.left : null);
      }),
    [weft, spaceId],
  );
  /** Takes the last decision back. Returns whether there is one. */
  const undo = (): boolean => {
    if (accepted.current.length > 0) void reopen(accepted.current);
    else if (data?.last != null) void redo(data.last.turn);
    else return false;
    return true;
  };
  return {
    changes: data ?? null,
    error: error?.message ?? '',
    left,
    decide,
    redo,
    reopen,
    undo,
    dismiss: useCallback(() => setLeft(null), []),
  };
}

/** A renamed file has two. */
const pathsOf = ({ what, path, from }: ChangedFile) => (what === 'renamed' ? [path, from] : [path]);

/** A decision about a whole file. */
export function wholeFile(file: ChangedFile): Pick[] {
  const picks: Pick[] = [{ id: file.id, version: file.version, hunks: null }];
  if (file.also > 0) picks.push({ id: file.also, version: '', hunks: null });
  return picks;
}
