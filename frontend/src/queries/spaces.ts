import { type InfiniteData, keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { keys } from '../cache/keys';
import { useStore } from '../state/store';
import { useWeft } from '../state/weft';
import type { Answer, Tree } from '../transport/api';
import { alwaysStale, neverShared, useBackendQuery, withCommandErrors } from './useBackendQuery';

/** The branch tree of a space, or null while it is unknown or contains only that space. */
export function useTree(spaceId: string): Tree | null {
  const weft = useWeft();
  const online = useStore(weft.server, ({ connection }) => connection === 'online');
  const treeId = useStore(
    weft.server,
    ({ spaces }) => spaces.find(({ id }) => id === spaceId)?.treeId ?? spaceId,
  );
  const { data } = useBackendQuery(
    keys.tree(treeId, spaceId),
    ({ transport }) => transport.call('Branches', { spaceId }),
    // Not cached: forks must always appear after the transcript has been positioned, as on the first visit.
    { enabled: online, gcTime: 0 },
  );
  return data !== undefined && data.spaces.length > 1 ? data : null;
}

/**
 * The archived spaces whose titles or folders match a text. The previous result stays until the next one has loaded.
 */
export function useArchived(query: string) {
  return useBackendQuery(
    keys.archivedLike(query),
    async ({ transport }) => {
      const found = (await transport.call('ListSpaces', { archived: true, query })) ?? [];
      return found.filter(({ archived }) => archived);
    },
    { ...alwaysStale, placeholderData: keepPreviousData },
  );
}

/** The subfolders of a folder. */
export function useFolders(path: string, enabled = true) {
  return useBackendQuery(keys.folders(path), ({ transport }) => transport.call('ListFolders', { path }), {
    ...neverShared,
    enabled,
  });
}

type EarlierPages = InfiniteData<Answer<'EarlierSessions'>, string>;

/** The sessions that an agent stored, page by page, in one folder or all folders. */
export function useEarlier(agentId: string, folder: string) {
  const weft = useWeft();
  const queryKey = keys.earlier(agentId, folder);
  const pages = useInfiniteQuery(
    {
      ...neverShared,
      queryKey,
      queryFn: ({ pageParam }) =>
        withCommandErrors(weft.transport.call('EarlierSessions', { agentId, folder, cursor: pageParam })),
      initialPageParam: '',
      getNextPageParam: ({ next }) => (next === '' ? null : next),
    },
    weft.queries,
  );
  /** Removes a session that the agent deleted from the list. */
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
