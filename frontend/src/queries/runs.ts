import { type InfiniteData, keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { keys } from '../cache/keys';
import { useWeft } from '../state/weft';
import type { ProtocolEntry, SignInTarget } from '../transport/api';
import { asked, once, useAnswer, useSettled } from './useAnswer';

/** What a run has written, in whichever space. */
export function useRunMessages(runId: string) {
  return useAnswer(
    keys.runMessages(runId),
    ({ transport }) => transport.call('RunMessages', { runId }),
    // One that has ended writes nothing more.
    { staleTime: ({ state }) => ((state.data?.run.endedAt ?? 0) > 0 ? 'static' : 0) },
  );
}

/** What a run that has ended has done in a space. */
export function useRunSummary(spaceId: string, runId: string) {
  return useAnswer(keys.runSummary(spaceId, runId), ({ transport }) =>
    transport.call('RunSummary', { spaceId, runId }),
  );
}

/** What the runs of a space have used, and what all have used since midnight. */
export function useUsage(spaceId: string) {
  return useAnswer(
    keys.usage(spaceId),
    ({ transport }) => transport.call('Usage', { spaceId, midnight: new Date().setHours(0, 0, 0, 0) }),
    once,
  );
}

const everySecond = 1000;

/** How long an agent may show nothing before that is worth a word, in ms. */
export const quietLimit = 15_000;

/** How far a run is, as long as that is shown: asked often while its agent shows nothing, and seldom while it works. */
export function useRunProgress(runId: string) {
  return useAnswer(keys.runProgress(runId), ({ transport }) => transport.call('RunProgress', { runId }), {
    ...once,
    refetchInterval: ({ state: { data } }) => {
      const worked = data?.workedAt ?? 0;
      return Math.max(everySecond, worked + quietLimit - 2 * everySecond - Date.now());
    },
    retry: false,
  });
}

/** What an agent has written last beside the protocol, as long as that is shown. */
export function useAgentWords({ spaceId = '', memberId = '', agentId = '' }: SignInTarget) {
  return useAnswer(
    keys.words(spaceId, memberId, agentId),
    ({ transport }) => transport.call('AgentWords', { spaceId, memberId, agentId }),
    { ...once, refetchInterval: everySecond, retry: false },
  );
}

const page = 300;
const typing = 150;

/** The traffic with an agent, a page at a time; again for another filter, and when a run begins or ends. */
export function useProtocolLog(spaceId: string, memberId: string, filter: string, runs: string) {
  const weft = useWeft();
  const settled = useSettled(filter, typing);
  const wanted = filter === '' ? '' : settled;
  const queryKey = keys.log(spaceId, memberId, wanted, runs);
  const log = useInfiniteQuery(
    {
      ...once,
      queryKey,
      queryFn: async ({ pageParam }) =>
        (await asked(
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
  /** Begins again with the first page. */
  const again = () => {
    weft.queries.setQueryData<InfiniteData<ProtocolEntry[], number>>(
      queryKey,
      (before) => before && { pages: before.pages.slice(0, 1), pageParams: before.pageParams.slice(0, 1) },
    );
    void log.refetch();
  };
  return { ...log, again };
}
