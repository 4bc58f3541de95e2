import { t } from '../../i18n';
import type { Session } from '../../state/session';
import { useStore } from '../../state/store';
import { short } from '../parts/numbers';

/** How much of its context the agent says it has used. */
export function UsageNote({ session }: { session: Session }) {
  const usage = useStore(session.store, (state) => state.conversation.state['usage']);
  if (usage === undefined || usage === null || typeof usage !== 'object' || Array.isArray(usage)) return null;
  const used = usage['used'];
  const size = usage['size'];
  if (typeof used !== 'number' || typeof size !== 'number' || size <= 0) return null;
  return (
    <span
      className="composer-usage tabular"
      title={t('usage.title', { used: short(used), size: short(size) })}
    >
      {t('usage.short', { percent: Math.round((used / size) * 100) })}
    </span>
  );
}
