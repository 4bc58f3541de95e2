import { Popover } from '@base-ui/react/popover';
import { memo } from 'react';
import { t } from '../../i18n';
import { joinFacts } from '../../i18n/formats';
import { useUsage } from '../../queries/runs';
import type { Session } from '../../state/session';
import { useStore } from '../../state/store';
import { stateKey } from '../../transcript/model';
import { objectOf } from '../../transcript/object';
import type { Json } from '../../transcript/types';
import type { Cost, Usage, UsageSum } from '../../transport/api';
import { money, short } from '../parts/numbers';
import { requestsOf, UsageRequests } from './UsageRequests';
import './usage.css';

/** How full the agent's context is. A click shows usage and cost. */
export const UsageNote = memo(function UsageNote({
  session,
  memberId,
}: {
  session: Session;
  memberId: string;
}) {
  const usage = useStore(session.store, (state) => state.conversation.state[stateKey('usage', memberId)]);
  const talked = useStore(session.store, ({ conversation }) => conversation.messages.length > 0);
  const context = contextOf(usage);
  if (context === null && !talked) return null;
  return (
    <Popover.Root>
      <Popover.Trigger
        className="composer-control usage-trigger tabular"
        aria-label={context === null ? t('usage.open') : t('usage.label', context)}
        title={context === null ? t('usage.open') : t('usage.title', context)}
      >
        <Ring part={(context?.percent ?? 0) / 100} />
        {context !== null && t('usage.short', context)}
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Positioner side="top" align="end" sideOffset={6}>
          <Popover.Popup className="menu usage" aria-label={t('usage.open')}>
            <Sums session={session} context={context} />
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  );
});

type Context = {
  percent: number;
  used: string;
  size: string;
};

function contextOf(usage: Json | undefined): Context | null {
  const told = objectOf(usage);
  if (told === null) return null;
  const { used, size } = told;
  if (typeof used !== 'number' || typeof size !== 'number' || size <= 0 || used < 0) return null;
  return { percent: Math.min(100, Math.round((used / size) * 100)), used: short(used), size: short(size) };
}

function Ring({ part }: { part: number }) {
  const round = 2 * Math.PI * 5;
  return (
    <svg className="usage-ring" viewBox="0 0 14 14" width="13" height="13" aria-hidden="true">
      <circle cx="7" cy="7" r="5" />
      <circle
        cx="7"
        cy="7"
        r="5"
        className="usage-part"
        strokeDasharray={`${part * round} ${round}`}
        data-full={part > 0.85}
      />
    </svg>
  );
}

function Sums({ session, context }: { session: Session; context: Context | null }) {
  const { data, error } = useUsage(session.spaceId);
  const sums = data ?? null;
  const last = lastOf(sums);
  const requests = requestsOf(sums?.last?.usage);
  return (
    <>
      {context !== null && (
        <div className="usage-context">
          <span>{t('usage.context')}</span>
          <span className="tabular">{t('usage.of', context)}</span>
          <meter
            min={0}
            max={100}
            high={85}
            optimum={0}
            value={context.percent}
            aria-label={t('usage.context')}
          />
        </div>
      )}
      {error !== null && <p className="usage-none">{error.message}</p>}
      {sums !== null && (
        <table className="usage-table">
          <thead>
            <tr>
              <td />
              <th scope="col">{t('usage.tokens')}</th>
              <th scope="col">{t('usage.cost')}</th>
            </tr>
          </thead>
          <tbody>
            {last !== null && <Row name={t('usage.last')} sum={last} />}
            <Row name={t('usage.space', { n: sums.space.runs, count: sums.space.runs })} sum={sums.space} />
            <Row name={t('usage.today')} sum={sums.today} />
          </tbody>
        </table>
      )}
      {requests !== null && <UsageRequests requests={requests} />}
      {sums !== null && sums.space.total === 0 && (sums.space.costs ?? []).length === 0 && (
        <p className="usage-none">{t('usage.silent')}</p>
      )}
    </>
  );
}

function Row({ name, sum }: { name: string; sum: UsageSum }) {
  const costs = sum.costs ?? [];
  return (
    <tr>
      <th scope="row">{name}</th>
      <td
        className="tabular"
        title={t('usage.parts', {
          input: short(sum.input),
          output: short(sum.output),
          cached: short(sum.cachedRead),
        })}
      >
        {sum.total > 0 ? short(sum.total) : '–'}
      </td>
      <td className="tabular">
        {costs.length === 0 ? '–' : joinFacts(costs.map(({ amount, currency }) => money(amount, currency)))}
      </td>
    </tr>
  );
}

/** The usage of the last run, in the format of the totals. */
function lastOf(usage: Usage | null): UsageSum | null {
  const value = objectOf(usage?.last?.usage);
  if (value === null) return null;
  const number = (key: string) => (typeof value[key] === 'number' ? value[key] : 0);
  const cost = value['cost'] as Cost | undefined;
  return {
    runs: 1,
    input: number('inputTokens'),
    output: number('outputTokens'),
    cachedRead: number('cachedReadTokens'),
    total: number('totalTokens'),
    costs: cost === undefined ? [] : [cost],
  };
}
