import { keepPreviousData } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { keys } from '../cache/keys';
import type { Repository } from '../transport/api';
import { fresh, once, useAnswer, useSettled } from './useAnswer';

/** The worktrees that Weft has made. */
export function useWorktrees() {
  return useAnswer(keys.worktrees, async ({ transport }) => (await transport.call('Worktrees')) ?? [], fresh);
}

/** What is in a worktree just now. */
export function useWorktreeState(worktreeId: string) {
  return useAnswer(
    keys.worktree(worktreeId),
    ({ transport }) => transport.call('WorktreeState', { worktreeId }),
    once,
  );
}

const typing = 300;

/** The repository that a folder is in; null until it is known. Each new refusal asks again: the repository may have changed. */
export function useRepository(folder: string, title: string, refusal: string): Repository | null {
  const at = useSettled(folder, typing);
  const named = useSettled(title, typing);
  const { data, isError, refetch } = useAnswer(
    keys.repository(at, named),
    async ({ transport }) => ({
      folder: at,
      repository: await transport.call('LookRepository', { folder: at, title: named }),
    }),
    { ...once, placeholderData: keepPreviousData },
  );
  const told = useRef(refusal);
  useEffect(() => {
    if (told.current !== refusal) void refetch();
    told.current = refusal;
  }, [refusal, refetch]);
  return !isError && data?.folder === folder ? data.repository : null;
}
