import { useEffect, useState } from 'react';
import { t } from '../../i18n';
import { useWeft } from '../../state/weft';
import type { Rule } from '../../transport/api';
import { asCommandError } from '../../transport/transport';

interface Request {
  spaceId: string;
  requestId: string;
}

export interface Reach {
  covers: boolean | null;
  others: number;
  error: string;
}

/** What the rules would answer if they were saved now. */
export function useReach(rules: readonly Rule[], from: Request | null): Reach {
  const weft = useWeft();
  const [reach, setReach] = useState<Reach>({ covers: null, others: 0, error: '' });
  const asked = from === null || rules.length === 0 ? '' : JSON.stringify({ rules, ...from });
  useEffect(() => {
    if (asked === '') return;
    let stale = false;
    // Not for every letter.
    const timer = setTimeout(async () => {
      const { rules: wanted, spaceId, requestId } = JSON.parse(asked);
      try {
        const found = await weft.transport.call('CheckPermissionRules', {
          rules: wanted,
          spaceId,
          requestId,
        });
        if (!stale) setReach({ ...found, error: '' });
      } catch (error) {
        if (!stale) setReach({ covers: null, others: 0, error: asCommandError(error).message });
      }
    }, 120);
    return () => {
      stale = true;
      clearTimeout(timer);
    };
  }, [asked, weft]);
  return reach;
}

/** The same as a sentence. */
export function tellReach({ covers, others }: Reach): string {
  if (covers === null) return '\u00a0';
  if (!covers) return t('rule.notCovers');
  return others === 0 ? t('rule.covers') : t('rule.coversOthers', { count: others, n: others });
}
