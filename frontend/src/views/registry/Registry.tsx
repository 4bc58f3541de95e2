import { ChevronLeft, RefreshCw, Search } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { t } from '../../i18n';
import { byName } from '../../i18n/formats';
import { translated } from '../../i18n/said';
import { useActions } from '../../keyboard/actions';
import { useRegistry } from '../../queries/registry';
import { say } from '../../state/notify';
import { useStore } from '../../state/store';
import { useWeft } from '../../state/weft';
import type { RegistryAgent, RegistryList } from '../../transport/api';
import { afterDialogs } from '../parts/afterDialogs';
import { lines, oneLine } from '../parts/clean';
import { inactiveWhile } from '../parts/inactiveWhile';
import { Lines } from '../parts/Lines';
import { moveThroughRows } from '../parts/moveThroughRows';
import { exact, since } from '../parts/numbers';
import { useMinutes } from '../parts/useNow';
import { AgentForm } from '../settings/AgentForm';
import { RegistryRow } from './RegistryRow';
import { RemoveDialog } from './RemoveDialog';
import { fromWhere, isWanted, sourceName } from './words';
import './registry.css';

/** Agents that can be installed or are installed. */
export function Registry() {
  const weft = useWeft();
  const { list, error, refreshing, read, refresh } = useRegistry();
  const installs = useStore(weft.server, (state) => state.installs);
  const [query, setQuery] = useState(() => weft.shown.get().registryQuery);
  const [open, setOpen] = useState<string | null>(null);
  const [adding, setAdding] = useState(false);
  const [removing, setRemoving] = useState<RegistryAgent | null>(null);
  const field = useRef<HTMLInputElement>(null);
  const rows = useRef<HTMLUListElement>(null);
  useEffect(() => afterDialogs(() => field.current?.focus({ preventScroll: true })), []);

  const leave = () => weft.show('settings');
  useActions([
    {
      id: 'registry.close',
      title: t('registry.back'),
      section: t('section.weft'),
      keys: 'Escape',
      keyOnly: true,
      run: leave,
    },
  ]);
  const shown = (list?.agents ?? [])
    .filter((agent) => isWanted(agent, query.trim()))
    .toSorted((a, b) => byName(a.name, b.name));
  return (
    <main className="settings">
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the arrows are a shortcut; every row is a button */}
      <div
        className="settings-inner"
        onKeyDown={(event) => moveThroughRows(event, field.current, rows.current, '.registry-line')}
      >
        <button type="button" className="text-button registry-back" onClick={leave}>
          <ChevronLeft size={13} aria-hidden />
          {t('registry.back')}
        </button>
        <h1 className="page-title">{t('registry.title')}</h1>
        <p className="settings-lead">
          {t('registry.lead')} {t('registry.useModel')}{' '}
          <button type="button" className="text-button" onClick={() => setAdding(true)}>
            {t('models.use')}
          </button>
        </p>
        <div className="registry-head">
          <label className="search registry-search">
            <Search size={14} aria-hidden />
            <input
              ref={field}
              type="search"
              aria-label={t('registry.search')}
              placeholder={t('registry.search')}
              value={query}
              onChange={(event) => setQuery(event.target.value)}
              onKeyDown={(event) => {
                if (event.key !== 'Escape' || event.nativeEvent.isComposing) return;
                event.preventDefault();
                event.stopPropagation();
                if (query === '') leave();
                else setQuery('');
              }}
            />
          </label>
          <button
            type="button"
            className="button"
            {...inactiveWhile(refreshing)}
            onClick={() => void refresh()}
          >
            <RefreshCw size={14} aria-hidden className={refreshing ? 'spinning' : undefined} />
            {refreshing ? t('registry.refreshing') : t('registry.refresh')}
          </button>
        </div>
        {list !== null && <Source list={list} />}
        {error !== null && list === null && (
          <div className="registry-notice" role="alert" data-failed="true">
            <p className="registry-notice-title">{t('registry.failed')}</p>
            <p>
              <Lines text={error.message} />
            </p>
            <button type="button" className="button" onClick={() => void read()}>
              {t('again')}
            </button>
          </div>
        )}
        {list === null && error === null && <Skeleton />}
        <ul ref={rows} className="registry-list" aria-label={t('registry.list')}>
          {shown.map((agent) => (
            <RegistryRow
              key={agent.id}
              agent={agent}
              platform={list?.platform ?? ''}
              install={installs.find(({ id }) => id === agent.id) ?? null}
              open={open === agent.id}
              onToggle={() => setOpen(open === agent.id ? null : agent.id)}
              onRemove={() => setRemoving(agent)}
            />
          ))}
        </ul>
        {list !== null && shown.length === 0 && <p className="quiet-text">{t('registry.none')}</p>}
        {list !== null && list.broken.length > 0 && <Broken list={list} />}
      </div>
      {adding && (
        <AgentForm
          agent={null}
          way="model"
          onClose={() => setAdding(false)}
          onSaved={({ name }) => say(t('models.added', { name: oneLine(name) }))}
        />
      )}
      {removing !== null && <RemoveDialog agent={removing} onClose={() => setRemoving(null)} />}
    </main>
  );
}

/** The source of the list, and its age. */
function Source({ list }: { list: RegistryList }) {
  const now = useMinutes();
  const host = sourceName(list.source);
  return (
    <>
      <p className="quiet-text registry-source">
        {list.shipped && list.failure === null && list.source !== 'shipped'
          ? t('registry.shipped', { host })
          : fromWhere(list)}
        {list.checkedAt > 0 && (
          <>
            {' · '}
            <time title={exact(list.checkedAt)} dateTime={new Date(list.checkedAt).toISOString()}>
              {t('registry.checked', { when: since(list.checkedAt, now) })}
            </time>
          </>
        )}
      </p>
      {list.failure !== null && (
        <p className="registry-notice" role="status">
          {t('registry.stale', { reason: lines(translated(list.failure)) })}
        </p>
      )}
    </>
  );
}

/** Entries that cannot be used, with the reason. */
function Broken({ list }: { list: RegistryList }) {
  const n = list.broken.length;
  return (
    <details className="registry-broken">
      <summary>{t('registry.broken', { count: n, n })}</summary>
      <ul>
        {list.broken.map(({ id, name, reason }, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: repeated ids may be the problem
          <li key={i}>
            <span className="mono">{oneLine(name || id)}</span> {oneLine(translated(reason))}
          </li>
        ))}
      </ul>
    </details>
  );
}

function Skeleton() {
  return (
    <div className="registry-skeleton delayed" role="status">
      <span className="visually-hidden">{t('registry.loading')}</span>
      {[0, 1, 2, 3].map((n) => (
        <div key={n} className="registry-skeleton-line" />
      ))}
    </div>
  );
}
