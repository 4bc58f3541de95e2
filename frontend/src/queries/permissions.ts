import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { keys } from '../cache/keys';
import { useWeft } from '../state/weft';
import type { HistoryFilter, Rule } from '../transport/api';
import { asked, fresh, once, useAnswer, useSettled } from './useAnswer';

/** The rules about permissions, newest first. How often they were used is told by no event. */
export function useRules() {
  return useAnswer(
    keys.rules,
    async ({ transport }) => (await transport.call('PermissionRules')) ?? [],
    fresh,
  );
}

/** The rules that would fit a request. */
export function useRuleSuggestion(spaceId: string, requestId: string) {
  return useAnswer(
    keys.ruleSuggestion(spaceId, requestId),
    ({ transport }) => transport.call('SuggestPermissionRules', { spaceId, requestId }),
    once,
  );
}

const typing = 120;
const again = 1000;

/** What the rules would answer if they were saved now; nothing is asked without a request or rules. */
export function useRuleReach(rules: readonly Rule[], from: { spaceId: string; requestId: string } | null) {
  const now =
    from === null || rules.length === 0
      ? ''
      : JSON.stringify({ rules, spaceId: from.spaceId, requestId: from.requestId });
  const said = useSettled(now, typing);
  return useAnswer(
    keys.ruleReach(said),
    ({ transport }) => transport.call('CheckPermissionRules', JSON.parse(said)),
    // It counts requests that are open in all spaces; no event says when there are others.
    { ...once, enabled: said !== '', placeholderData: keepPreviousData, refetchInterval: again },
  );
}

const page = 50;
const typingHistory = 150;

/** What agents asked for and what became of it, newest first, a page at a time. */
export function useHistory(filter: HistoryFilter) {
  const weft = useWeft();
  const query = useSettled(filter.query, typingHistory);
  const wanted = { ...filter, query: filter.query === '' ? '' : query };
  return useInfiniteQuery(
    {
      ...once,
      queryKey: keys.history(wanted),
      queryFn: ({ pageParam }) =>
        asked(weft.transport.call('PermissionHistory', { ...wanted, before: pageParam, limit: page })),
      initialPageParam: 0,
      getNextPageParam: ({ decisions, more }) => (more ? (decisions?.at(-1)?.n ?? null) : null),
      placeholderData: keepPreviousData,
    },
    weft.queries,
  );
}
