import { t } from '../../i18n';
import { objectOf } from '../../transcript/object';
import type { Json } from '../../transcript/types';
import { oneLine } from '../parts/clean';
import { count, money, short } from '../parts/numbers';

/** The usage of one request to a model, as measured by the model proxy. */
interface UsedByRequest {
  model: string;
  input: number;
  cached: number;
  output: number;
  /** US dollars; null if unknown. */
  cost: number | null;
}

interface UsedByRequests {
  /** The total count; only the first ones are listed. */
  count: number;
  list: readonly UsedByRequest[];
}

/** The requests of a run to its model; null if they weren't counted. */
export function requestsOf(usage: Json | undefined): UsedByRequests | null {
  const told = objectOf(usage);
  const list = told?.['requests'];
  if (!Array.isArray(list) || list.length === 0) return null;
  const requests = list.flatMap((one): UsedByRequest[] => {
    const value = objectOf(one);
    if (value === null) return [];
    const number = (key: string) => (typeof value[key] === 'number' ? value[key] : 0);
    return [
      {
        model: typeof value['model'] === 'string' ? value['model'] : '',
        input: number('inputTokens') + number('cachedWriteTokens'),
        cached: number('cachedReadTokens'),
        output: number('outputTokens'),
        cost: typeof value['cost'] === 'number' ? value['cost'] : null,
      },
    ];
  });
  const all = told?.['requestCount'];
  return {
    count: typeof all === 'number' ? Math.max(all, requests.length) : requests.length,
    list: requests,
  };
}

/** Lists the requests of the last run. */
export function UsageRequests({ requests: { count: all, list } }: { requests: UsedByRequests }) {
  const priced = list.some(({ cost }) => cost !== null);
  const models = new Set(list.map(({ model }) => model));
  return (
    <details className="usage-requests">
      <summary>{t('usage.requests', { n: count(all), count: all })}</summary>
      <section
        className="usage-requests-list"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by keyboard
        tabIndex={0}
        aria-label={t('usage.requests', { n: count(all), count: all })}
      >
        <table className="usage-table">
          <thead>
            <tr>
              <th scope="col">{t('usage.number')}</th>
              {models.size > 1 && <th scope="col">{t('usage.model')}</th>}
              <th scope="col">{t('usage.in')}</th>
              <th scope="col">{t('usage.cached')}</th>
              <th scope="col">{t('usage.out')}</th>
              {priced && <th scope="col">{t('usage.cost')}</th>}
            </tr>
          </thead>
          <tbody>
            {list.map(({ model, input, cached, output, cost }, i) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: requests have no id
              <tr key={i}>
                <th scope="row" className="tabular">
                  {count(i + 1)}
                </th>
                {models.size > 1 && <td className="usage-model">{oneLine(model)}</td>}
                <td className="tabular">{short(input)}</td>
                <td className="tabular">{cached > 0 ? short(cached) : '–'}</td>
                <td className="tabular">{short(output)}</td>
                {priced && <td className="tabular">{cost === null ? '–' : money(cost, 'USD')}</td>}
              </tr>
            ))}
          </tbody>
        </table>
        {all > list.length && (
          <p className="usage-none">
            {t('usage.moreRequests', { n: count(all - list.length), count: all - list.length })}
          </p>
        )}
      </section>
      {models.size === 1 && list[0]?.model !== '' && (
        <p className="usage-none">
          {t('usage.byModel')} <code>{oneLine(list[0]?.model ?? '')}</code>
        </p>
      )}
    </details>
  );
}
