import { t } from '../../i18n';
import { useRulesCheck } from '../../queries/permissions';
import type { Rule } from '../../transport/api';

export interface Coverage {
  covers: boolean | null;
  others: number;
  error: string;
}

/** What the rules would decide if they were saved now. */
export function useCoverage(
  rules: readonly Rule[],
  from: { spaceId: string; requestId: string } | null,
): Coverage {
  const { data, error } = useRulesCheck(rules, from);
  return { covers: data?.covers ?? null, others: data?.others ?? 0, error: error?.message ?? '' };
}

/** The same as a sentence. */
export function describeCoverage({ covers, others }: Coverage): string {
  if (covers === null) return '\u00a0';
  if (!covers) return t('rule.notCovers');
  return others === 0 ? t('rule.covers') : t('rule.coversOthers', { count: others, n: others });
}
