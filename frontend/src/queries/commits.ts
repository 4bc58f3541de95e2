import { keys } from '../cache/keys';
import type { CommitFile } from '../transport/api';
import { once, useAnswer } from './useAnswer';

/** What could be undone since a prompt. */
export function useUndoPlan(spaceId: string, messageId: string) {
  return useAnswer(
    keys.undoPlan(spaceId, messageId),
    ({ transport }) => transport.call('PlanUndo', { spaceId, messageId }),
    once,
  );
}

/** What could be committed of the accepted changes. */
export function useCommitPlan(spaceId: string) {
  return useAnswer(
    keys.commitPlan(spaceId),
    ({ transport }) => transport.call('PlanCommit', { spaceId }),
    once,
  );
}

/** The files with changes that were accepted and are not committed yet. */
export function useAccepted(spaceId: string): readonly CommitFile[] {
  const { data } = useAnswer(
    keys.accepted(spaceId),
    async ({ transport }) => (await transport.call('AcceptedFiles', { spaceId })).files,
    once,
  );
  return data ?? none;
}

const none: readonly CommitFile[] = [];

/** What was accepted in a file and is not committed yet. */
export function useAcceptedDiff(spaceId: string, file: CommitFile | undefined) {
  const { path = '', version = '' } = file ?? {};
  const { data, error } = useAnswer(
    keys.acceptedDiff(spaceId, file?.path, version),
    ({ transport }) => transport.call('AcceptedDiff', { spaceId, path }),
    { ...once, enabled: file !== undefined },
  );
  return { diff: data ?? null, error: error?.message ?? '' };
}
