import { type InfiniteData, keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { keys } from '../cache/keys';
import { useWeft } from '../state/weft';
import type { ProtocolEntry, SignInTarget } from '../transport/api';
import { neverShared, useBackendQuery, useDebounced, withCommandErrors } from './useBackendQuery';

/** The messages of a run in any space. */
export function useRunMessages(runId: string) {
  return useBackendQuery(
    keys.runMessages(runId),
    ({ transport }) => transport.call('RunMessages', { runId }),
    // A finished run writes nothing more.
    { staleTime: ({ state }) => ((state.data?.run.endedAt ?? 0) > 0 ? 'static' : 0) },
  );
}

/** What a finished run did in a space. */
export function useRunSummary(spaceId: string, runId: string) {
  return useBackendQuery(keys.runSummary(spaceId, runId), ({ transport }) =>
    transport.call('RunSummary', { spaceId, runId }),
  );
}

/** Usage of the runs of a space, and of all runs since midnight. */
export function useUsage(spaceId: string) {
  return useBackendQuery(
    keys.usage(spaceId),
    ({ transport }) => transport.call('Usage', { spaceId, midnight: new Date().setHours(0, 0, 0, 0) }),
    neverShared,
  );
}

const everySecond = 1000;

/** How long an agent may show no activity before the user is told, in ms. */
export const quietLimit = 15_000;

/** The progress of a visible run: polled often while its agent shows no activity, and seldom while it works. */
export function useRunProgress(runId: string) {
  return useBackendQuery(
    keys.runProgress(runId),
    ({ transport }) => transport.call('RunProgress', { runId }),
    {
      ...neverShared,
      refetchInterval: ({ state: { data } }) => {
        const worked = data?.workedAt ?? 0;
        return Math.max(everySecond, worked + quietLimit - 2 * everySecond - Date.now());
      },
      retry: false,
    },
  );
}

/** The agent's last output outside of the protocol, while it is shown. */
export function useAgentOutput({ spaceId = '', memberId = '', agentId = '' }: SignInTarget) {
  return useBackendQuery(
    keys.words(spaceId, memberId, agentId),
    ({ transport }) => transport.call('AgentWords', { spaceId, memberId, agentId }),
    { ...neverShared, refetchInterval: everySecond, retry: false },
  );
}

const page = 300;
const typing = 150;

/** The protocol messages of an agent, page by page; reloaded for another filter, and when a run starts or ends. */
export function useProtocolLog(spaceId: string, memberId: string, filter: string, runs: string) {
  const weft = useWeft();
  const settled = useDebounced(filter, typing);
  const wanted = filter === '' ? '' : settled;
  const queryKey = keys.log(spaceId, memberId, wanted, runs);
  const log = useInfiniteQuery(
    {
      ...neverShared,
      queryKey,
      queryFn: async ({ pageParam }) =>
        (await withCommandErrors(
          weft.transport.call('ProtocolLog', {
            ...{ spaceId, memberId },
            ...{ after: pageParam, limit: page, filter: wanted },
          }),
        )) ?? [],
      initialPageParam: 0,
      getNextPageParam: (last) => (last.length === page ? (last.at(-1)?.n ?? null) : null),
      placeholderData: keepPreviousData,
    },
    weft.queries,
  );
  /** Starts over with the first page. */
  const again = () => {
    weft.queries.setQueryData<InfiniteData<ProtocolEntry[], number>>(
      queryKey,
      (before) => before && { pages: before.pages.slice(0, 1), pageParams: before.pageParams.slice(0, 1) },
    );
    void log.refetch();
  };
  return { ...log, again };
}
