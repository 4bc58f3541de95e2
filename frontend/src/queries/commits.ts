import { keys } from '../cache/keys';
import type { CommitFile } from '../transport/api';
import { neverShared, useBackendQuery } from './useBackendQuery';

/** What could be undone since a prompt. */
export function useUndoPlan(spaceId: string, messageId: string) {
  return useBackendQuery(
    keys.undoPlan(spaceId, messageId),
    ({ transport }) => transport.call('PlanUndo', { spaceId, messageId }),
    neverShared,
  );
}

/** The accepted changes that can be committed. */
export function useCommitPlan(spaceId: string) {
  return useBackendQuery(
    keys.commitPlan(spaceId),
    ({ transport }) => transport.call('PlanCommit', { spaceId }),
    neverShared,
  );
}

/** Files with accepted changes that are not committed yet. */
export function useAccepted(spaceId: string): readonly CommitFile[] {
  const { data } = useBackendQuery(
    keys.accepted(spaceId),
    async ({ transport }) => (await transport.call('AcceptedFiles', { spaceId })).files,
    neverShared,
  );
  return data ?? none;
}

const none: readonly CommitFile[] = [];

/** The accepted changes in a file that are not committed yet. */
export function useAcceptedDiff(spaceId: string, file: CommitFile | undefined) {
  const { path = '', version = '' } = file ?? {};
  const { data, error } = useBackendQuery(
    keys.acceptedDiff(spaceId, file?.path, version),
    ({ transport }) => transport.call('AcceptedDiff', { spaceId, path }),
    { ...neverShared, enabled: file !== undefined },
  );
  return { diff: data ?? null, error: error?.message ?? '' };
}
