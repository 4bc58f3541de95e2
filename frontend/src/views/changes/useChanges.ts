import { useCallback, useEffect, useRef, useState } from 'react';
import { t } from '../../i18n';
import { sayFailed } from '../../state/notify';
import { useStore } from '../../state/store';
import { useWeft } from '../../state/weft';
import type { ChangeDiff, ChangedFile, Changes, Outcome, Pick } from '../../transport/api';
import { asCommandError } from '../../transport/transport';

export type Decision = 'accept' | 'reject';

/** What is to be reviewed in a space, pulled anew whenever that is told to have changed. */
export function useChanges(spaceId: string) {
  const weft = useWeft();
  const told = useStore(weft.store, (state) => state.changes[spaceId]?.told ?? 0);
  const running = useStore(
    weft.store,
    ({ spaces }) => spaces.find(({ id }) => id === spaceId)?.state ?? 'idle',
  );
  const [changes, setChanges] = useState<Changes | null>(null);
  const [error, setError] = useState('');
  const [left, setLeft] = useState<Outcome['left'] | null>(null);
  const asked = useRef(0);

  const pull = useCallback(async () => {
    const mine = ++asked.current;
    try {
      const found = await weft.transport.call('ReviewChanges', { spaceId });
      if (mine !== asked.current) return;
      setChanges(found);
      setError('');
    } catch (failure) {
      if (mine === asked.current) setError(asCommandError(failure).message);
    }
  }, [weft, spaceId]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: what was told and the turn are reasons to read again
  useEffect(() => void pull(), [pull, told, running]);
  // The person may have been in an editor.
  useEffect(() => {
    const look = () => void pull();
    window.addEventListener('focus', look);
    return () => window.removeEventListener('focus', look);
  }, [pull]);

  const decide = useCallback(
    async (decision: Decision, picks: Pick[]) => {
      try {
        const command = decision === 'accept' ? 'AcceptChanges' : 'RejectChanges';
        const outcome = await weft.transport.call(command, { spaceId, picks });
        setLeft(outcome.left.length > 0 ? outcome.left : null);
      } catch (failure) {
        sayFailed(t('failed.decide'), failure);
      }
      await pull();
    },
    [weft, spaceId, pull],
  );
  /** Takes back what was put back last. */
  const redo = useCallback(
    (turn: number) =>
      weft.attempt(t('failed.redo'), async () => {
        const back = await weft.transport.call('RedoChanges', { spaceId, turn });
        setLeft(back.left.length > 0 ? back.left : null);
      }),
    [weft, spaceId],
  );
  return { changes, error, left, told, decide, redo, dismiss: useCallback(() => setLeft(null), []) };
}

/** What is decided about a whole file. */
export function wholeFile(file: ChangedFile): Pick[] {
  const picks: Pick[] = [{ id: file.id, version: file.version, hunks: null }];
  if (file.also > 0) picks.push({ id: file.also, version: '', hunks: null });
  return picks;
}

/** The diff of a file, as it is now. What was shown stays until the next one is there. */
export function useDiff(spaceId: string, file: ChangedFile | undefined, told: number) {
  const weft = useWeft();
  const [diff, setDiff] = useState<ChangeDiff | null>(null);
  const [error, setError] = useState('');
  const id = file?.id;
  const version = file?.version;
  // biome-ignore lint/correctness/useExhaustiveDependencies: another version, or an edit since, is a reason to read again
  useEffect(() => {
    if (id === undefined) return;
    let wanted = true;
    weft.transport.call('ReviewDiff', { spaceId, fileId: id }).then(
      (found) => {
        if (!wanted) return;
        setDiff(found);
        setError('');
      },
      (failure: unknown) => wanted && setError(asCommandError(failure).message),
    );
    return () => {
      wanted = false;
    };
  }, [weft, spaceId, id, version, file?.changed, told]);
  return { diff: diff !== null && diff.id === id ? diff : null, error };
}
