import { Download, Search } from 'lucide-react';
import { useState } from 'react';
import { exportHistory } from '../../commands/permissions';
import { t } from '../../i18n';
import { useHistory } from '../../queries/permissions';
import { say } from '../../state/notify';
import { useStore } from '../../state/store';
import { useWeft, type Weft } from '../../state/weft';
import type { Decision, HistoryFilter } from '../../transport/api';
import { oneLine } from '../parts/clean';
import { FailedRead } from '../parts/FailedRead';
import { inactiveWhile } from '../parts/inactiveWhile';
import { Lines } from '../parts/Lines';
import { ago, exact } from '../parts/numbers';
import { titleOf } from '../parts/spaceTitle';
import { useMinutes } from '../parts/useNow';
import { KindIcon } from '../tools/kinds';

const outcomes = ['allowed', 'refused', 'unasked', 'cancelled', 'lost', 'answered'] as const;

/** What agents requested and what was decided, newest first. */
export function History() {
  const weft = useWeft();
  const spaces = useStore(weft.server, (state) => state.spaces);
  const [filter, setFilter] = useState<HistoryFilter>({ query: '', spaceId: '', outcome: '' });
  const { data, error, isFetching: loading, hasNextPage, fetchNextPage, refetch } = useHistory(filter);
  const decisions = data?.pages.flatMap((page) => page.decisions ?? []) ?? [];
  const more = hasNextPage;
  const next = () => void (more ? fetchNextPage() : refetch());
  const filtered = filter.query !== '' || filter.spaceId !== '' || filter.outcome !== '';
  return (
    <>
      <div className="history-bar">
        <label className="search">
          <Search size={14} aria-hidden />
          <input
            type="search"
            aria-label={t('history.search')}
            placeholder={t('history.search')}
            value={filter.query}
            onChange={(event) => setFilter({ ...filter, query: event.target.value })}
          />
        </label>
        <select
          className="field"
          aria-label={t('history.space')}
          value={filter.spaceId}
          onChange={(event) => setFilter({ ...filter, spaceId: event.target.value })}
        >
          <option value="">{t('history.allSpaces')}</option>
          {spaces.map((space) => (
            <option key={space.id} value={space.id}>
              {titleOf(space)}
            </option>
          ))}
        </select>
        <select
          className="field"
          aria-label={t('history.outcome')}
          value={filter.outcome}
          onChange={(event) => setFilter({ ...filter, outcome: event.target.value })}
        >
          <option value="">{t('history.allOutcomes')}</option>
          {outcomes.map((outcome) => (
            <option key={outcome} value={outcome}>
              {t(`history.outcomes.${outcome}`)}
            </option>
          ))}
        </select>
      </div>
      {error !== null && <FailedRead error={error} onAgain={next} />}
      {decisions.length > 0 ? (
        <ul className="decisions" aria-label={t('history.list')}>
          {decisions.map((decision) => (
            <Row key={decision.n} decision={decision} />
          ))}
        </ul>
      ) : (
        error === null &&
        (loading ? (
          <p className="quiet-text delayed">{t('loading')}</p>
        ) : (
          <p className="permissions-empty">{filtered ? t('history.noneFound') : t('history.empty')}</p>
        ))
      )}
      {decisions.length > 0 && (
        <div className="history-foot">
          {more && (
            <button type="button" className="button" {...inactiveWhile(loading)} onClick={next}>
              {t('history.more')}
            </button>
          )}
          <span className="grow" />
          {(['csv', 'jsonl'] as const).map((format) => (
            <button
              key={format}
              type="button"
              className="button plain"
              onClick={() => void save(weft, filter, format)}
            >
              <Download size={14} aria-hidden />
              {t(`history.${format}`)}
            </button>
          ))}
        </div>
      )}
    </>
  );
}

function Row({ decision }: { decision: Decision }) {
  const weft = useWeft();
  const { at, outcome, kind, title, about, agentName, space, ruleId } = decision;
  const now = useMinutes();
  const [open, setOpen] = useState(false);
  return (
    <li className="decision" data-open={open}>
      <span className="decision-outcome" data-outcome={outcome}>
        {t(`history.outcomes.${outcome}`)}
      </span>
      <div className="decision-main">
        <p className="decision-about">
          <KindIcon kind={kind} />
          {about === '' ? (
            <span>{oneLine(title) || t('history.untitled')}</span>
          ) : (
            <button type="button" aria-expanded={open} onClick={() => setOpen(!open)}>
              <code>{open ? <Lines text={about} /> : oneLine(about.slice(0, 400))}</code>
            </button>
          )}
        </p>
        <p className="rule-note">
          {[oneLine(agentName), oneLine(space), decidedBy(decision)]
            .filter((part) => part !== '')
            .join(' · ')}
          {ruleId !== '' && (
            <button
              type="button"
              className="text-button"
              onClick={() => weft.showPermissions('rules', ruleId)}
            >
              {t('permission.openRule')}
            </button>
          )}
        </p>
      </div>
      <time className="decision-time tabular" dateTime={new Date(at).toISOString()} title={exact(at)}>
        {ago(at, now)}
      </time>
    </li>
  );
}

function decidedBy({ by, rule, outcome }: Decision): string {
  if (by === 'mode' && rule === 'ask') return t('history.by.modeAsk');
  if (by === 'rule' && outcome === 'unasked') return t('history.unasked.rule', { rule: oneLine(rule) });
  if (by === 'agentMode' && rule === '') return t('history.by.agentModeUnnamed');
  return t(`history.by.${by}`, { rule: oneLine(rule) });
}

/** Exports the filtered history. */
async function save(weft: Weft, filter: HistoryFilter, format: 'csv' | 'jsonl'): Promise<void> {
  await weft.attempt(t('failed.export'), async () => {
    const path = await exportHistory(weft, filter, format);
    if (path !== '') say(t('history.saved', { path: oneLine(path) }));
  });
}
