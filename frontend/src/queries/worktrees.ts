import { keepPreviousData } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { keys } from '../cache/keys';
import type { Repository } from '../transport/api';
import { alwaysStale, neverShared, useBackendQuery, useDebounced } from './useBackendQuery';

/** The worktrees that Weft created. */
export function useWorktrees() {
  return useBackendQuery(
    keys.worktrees,
    async ({ transport }) => (await transport.call('Worktrees')) ?? [],
    alwaysStale,
  );
}

/** The current state of a worktree. */
export function useWorktreeState(worktreeId: string) {
  return useBackendQuery(
    keys.worktree(worktreeId),
    ({ transport }) => transport.call('WorktreeState', { worktreeId }),
    neverShared,
  );
}

const typing = 300;

/**
 * The repository of a folder; null until it is known. Each new refusal refetches it: the repository may have changed.
 */
export function useRepository(folder: string, title: string, refusal: string): Repository | null {
  const at = useDebounced(folder, typing);
  const named = useDebounced(title, typing);
  const { data, isError, refetch } = useBackendQuery(
    keys.repository(at, named),
    async ({ transport }) => ({
      folder: at,
      repository: await transport.call('LookRepository', { folder: at, title: named }),
    }),
    { ...neverShared, placeholderData: keepPreviousData },
  );
  const told = useRef(refusal);
  useEffect(() => {
    if (told.current !== refusal) void refetch();
    told.current = refusal;
  }, [refusal, refetch]);
  return !isError && data?.folder === folder ? data.repository : null;
}
