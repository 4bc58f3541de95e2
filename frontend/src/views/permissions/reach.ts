import { t } from '../../i18n';
import { useRuleReach } from '../../queries/permissions';
import type { Rule } from '../../transport/api';

export interface Reach {
  covers: boolean | null;
  others: number;
  error: string;
}

/** What the rules would answer if they were saved now. */
export function useReach(rules: readonly Rule[], from: { spaceId: string; requestId: string } | null): Reach {
  const { data, error } = useRuleReach(rules, from);
  return { covers: data?.covers ?? null, others: data?.others ?? 0, error: error?.message ?? '' };
}

/** The same as a sentence. */
export function tellReach({ covers, others }: Reach): string {
  if (covers === null) return '\u00a0';
  if (!covers) return t('rule.notCovers');
  return others === 0 ? t('rule.covers') : t('rule.coversOthers', { count: others, n: others });
}
