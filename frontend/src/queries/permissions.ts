import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { keys } from '../cache/keys';
import { useWeft } from '../state/weft';
import type { HistoryFilter, Rule } from '../transport/api';
import {
  alwaysStale,
  neverShared,
  useBackendQuery,
  useDebounced,
  withCommandErrors,
} from './useBackendQuery';

/** The permission rules, newest first. No event reports how often they were used. */
export function useRules() {
  return useBackendQuery(
    keys.rules,
    async ({ transport }) => (await transport.call('PermissionRules')) ?? [],
    alwaysStale,
  );
}

/** Rules suggested for a request. */
export function useRuleSuggestion(spaceId: string, requestId: string) {
  return useBackendQuery(
    keys.ruleSuggestion(spaceId, requestId),
    ({ transport }) => transport.call('SuggestPermissionRules', { spaceId, requestId }),
    neverShared,
  );
}

const typing = 120;
const again = 1000;

/** What the rules would decide if they were saved now. Requests nothing without a request or rules. */
export function useRulesCheck(rules: readonly Rule[], from: { spaceId: string; requestId: string } | null) {
  const now =
    from === null || rules.length === 0
      ? ''
      : JSON.stringify({ rules, spaceId: from.spaceId, requestId: from.requestId });
  const said = useDebounced(now, typing);
  return useBackendQuery(
    keys.ruleReach(said),
    ({ transport }) => transport.call('CheckPermissionRules', JSON.parse(said)),
    // It counts pending requests in all spaces, and no event reports changes.
    { ...neverShared, enabled: said !== '', placeholderData: keepPreviousData, refetchInterval: again },
  );
}

const page = 50;
const typingHistory = 150;

/** What agents requested and what was decided, newest first, page by page. */
export function useHistory(filter: HistoryFilter) {
  const weft = useWeft();
  const query = useDebounced(filter.query, typingHistory);
  const wanted = { ...filter, query: filter.query === '' ? '' : query };
  return useInfiniteQuery(
    {
      ...neverShared,
      queryKey: keys.history(wanted),
      queryFn: ({ pageParam }) =>
        withCommandErrors(
          weft.transport.call('PermissionHistory', { ...wanted, before: pageParam, limit: page }),
        ),
      initialPageParam: 0,
      getNextPageParam: ({ decisions, more }) => (more ? (decisions?.at(-1)?.n ?? null) : null),
      placeholderData: keepPreviousData,
    },
    weft.queries,
  );
}
