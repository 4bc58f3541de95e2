import { t } from '../../i18n';
import { oneLine } from '../parts/clean';

const reasons = [
  'max_tokens',
  'max_turn_requests',
  'refusal',
  'cancelled',
  'ended',
  'refused',
  'interrupted',
  'branched',
] as const;

/** Why a turn ended, unless it simply finished. */
export function stopWords(stopReason: string): string {
  const known = reasons.find((reason) => reason === stopReason);
  return known ? t(`stop.${known}`) : t('stop.other', { reason: oneLine(stopReason) });
}
