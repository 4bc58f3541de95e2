import { type InfiniteData, keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { keys } from '../cache/keys';
import { useStore } from '../state/store';
import { useWeft } from '../state/weft';
import type { Answer, Tree } from '../transport/api';
import { asked, fresh, once, useAnswer } from './useAnswer';

/** The tree of branches that a space is in, once it is known and has more than that space. */
export function useTree(spaceId: string): Tree | null {
  const weft = useWeft();
  const online = useStore(weft.server, ({ connection }) => connection === 'online');
  const treeId = useStore(
    weft.server,
    ({ spaces }) => spaces.find(({ id }) => id === spaceId)?.treeId ?? spaceId,
  );
  const { data } = useAnswer(
    keys.tree(treeId, spaceId),
    ({ transport }) => transport.call('Branches', { spaceId }),
    // Not kept for the next time: forks come after the transcript has found its place, as on the first time.
    { enabled: online, gcTime: 0 },
  );
  return data !== undefined && data.spaces.length > 1 ? data : null;
}

/** The archived spaces whose titles or folders are like a text. What was found last stays until the next is there. */
export function useArchived(query: string) {
  return useAnswer(
    keys.archivedLike(query),
    async ({ transport }) => {
      const found = (await transport.call('ListSpaces', { archived: true, query })) ?? [];
      return found.filter(({ archived }) => archived);
    },
    { ...fresh, placeholderData: keepPreviousData },
  );
}

/** The folders in a folder. */
export function useFolders(path: string, enabled = true) {
  return useAnswer(keys.folders(path), ({ transport }) => transport.call('ListFolders', { path }), {
    ...once,
    enabled,
  });
}

type EarlierPages = InfiniteData<Answer<'EarlierSessions'>, string>;

/** The conversations that an agent has kept by itself, a page at a time; those of one folder, or all of them. */
export function useEarlier(agentId: string, folder: string) {
  const weft = useWeft();
  const queryKey = keys.earlier(agentId, folder);
  const pages = useInfiniteQuery(
    {
      ...once,
      queryKey,
      queryFn: ({ pageParam }) =>
        asked(weft.transport.call('EarlierSessions', { agentId, folder, cursor: pageParam })),
      initialPageParam: '',
      getNextPageParam: ({ next }) => (next === '' ? null : next),
    },
    weft.queries,
  );
  /** Takes one out of the list that the agent has deleted. */
  const drop = (sessionId: string) =>
    weft.queries.setQueryData<EarlierPages>(
      queryKey,
      (before) =>
        before && {
          ...before,
          pages: before.pages.map((page) => ({
            ...page,
            sessions: (page.sessions ?? []).filter((one) => one.sessionId !== sessionId),
          })),
        },
    );
  return { ...pages, drop };
}
