import { Download, Search } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { t } from '../../i18n';
import { say } from '../../state/notify';
import { useStore } from '../../state/store';
import { useWeft, type Weft } from '../../state/weft';
import type { Decision, HistoryFilter } from '../../transport/api';
import { download } from '../../transport/download';
import { asCommandError } from '../../transport/transport';
import { lines, oneLine } from '../parts/clean';
import { ago, exact } from '../parts/numbers';
import { titleOf } from '../parts/spaceTitle';
import { useMinutes } from '../parts/useNow';
import { KindIcon } from '../tools/kinds';

const page = 50;
const outcomes = ['allowed', 'refused', 'unasked', 'cancelled', 'lost', 'answered'] as const;

/** What agents asked for and what became of it, newest first. */
export function History() {
  const weft = useWeft();
  const spaces = useStore(weft.store, (state) => state.spaces);
  const [filter, setFilter] = useState<HistoryFilter>({ query: '', spaceId: '', outcome: '' });
  const { decisions, more, error, loading, next } = useHistory(filter);
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
      {error !== '' && (
        <p className="settings-lead" role="alert">
          {lines(error)}{' '}
          <button type="button" className="text-button" onClick={next}>
            {t('again')}
          </button>
        </p>
      )}
      {decisions.length > 0 ? (
        <ul className="decisions" aria-label={t('history.list')}>
          {decisions.map((decision) => (
            <Row key={decision.n} decision={decision} />
          ))}
        </ul>
      ) : (
        error === '' &&
        (loading ? (
          <p className="quiet-text late">{t('loading')}</p>
        ) : (
          <p className="permissions-empty">{filtered ? t('history.noneFound') : t('history.empty')}</p>
        ))
      )}
      {decisions.length > 0 && (
        <div className="history-foot">
          {more && (
            <button type="button" className="button" disabled={loading} onClick={next}>
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
              <code>{open ? lines(about) : oneLine(about.slice(0, 400))}</code>
            </button>
          )}
        </p>
        <p className="rule-note">
          {[oneLine(agentName), oneLine(space), byWhom(decision)].filter((part) => part !== '').join(' · ')}
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

function byWhom({ by, rule, outcome }: Decision): string {
  if (by === 'mode' && rule === 'ask') return t('history.by.modeAsk');
  if (by === 'rule' && outcome === 'unasked') return t('history.unasked.rule', { rule: oneLine(rule) });
  return t(`history.by.${by}`, { rule: oneLine(rule) });
}

interface Found {
  decisions: readonly Decision[];
  more: boolean;
  loading: boolean;
  error: string;
}

/** Pages of the history, for the filter as it is. */
function useHistory(filter: HistoryFilter): Found & { next: () => void } {
  const weft = useWeft();
  const [found, setFound] = useState<Found>({ decisions: [], more: false, loading: true, error: '' });
  const turn = useRef(0);
  const read = async (before: number, known: readonly Decision[]) => {
    const mine = ++turn.current;
    setFound((now) => ({ ...now, loading: true, error: '' }));
    try {
      const answer = await weft.transport.call('PermissionHistory', { ...filter, before, limit: page });
      if (mine !== turn.current) return;
      setFound({
        decisions: [...known, ...(answer.decisions ?? [])],
        more: answer.more,
        loading: false,
        error: '',
      });
    } catch (error) {
      if (mine !== turn.current) return;
      setFound((now) => ({ ...now, loading: false, error: asCommandError(error).message }));
    }
  };
  const latest = useRef(read);
  latest.current = read;
  const { query, spaceId, outcome } = filter;
  // biome-ignore lint/correctness/useExhaustiveDependencies: another filter is another list
  useEffect(() => {
    // Not for every letter.
    const timer = setTimeout(() => void latest.current(0, []), query === '' ? 0 : 150);
    return () => clearTimeout(timer);
  }, [query, spaceId, outcome]);
  return { ...found, next: () => void read(found.decisions.at(-1)?.n ?? 0, found.decisions) };
}

/** Saves what the filter selects: the browser downloads it, the window asks where to. */
async function save(weft: Weft, filter: HistoryFilter, format: 'csv' | 'jsonl'): Promise<void> {
  if (weft.transport.kind === 'window') {
    await weft.attempt(t('failed.export'), async () => {
      const { path } = await weft.transport.call('SavePermissionHistory', { ...filter, format });
      if (path !== '') say(t('history.saved', { path: oneLine(path) }));
    });
    return;
  }
  await weft.attempt(t('failed.export'), () =>
    download(`/api/permissions/export?${new URLSearchParams({ ...filter, format })}`),
  );
}
