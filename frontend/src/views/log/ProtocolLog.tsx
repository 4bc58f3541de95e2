import { Copy, RefreshCw, Search, X } from 'lucide-react';
import { useState } from 'react';
import { VList } from 'virtua';
import { t } from '../../i18n';
import { copyText } from '../../markdown';
import { useProtocolLog } from '../../queries/runs';
import { defaultMember } from '../../state/members';
import { say } from '../../state/notify';
import { useStore } from '../../state/store';
import { useWeft } from '../../state/weft';
import { oneLine } from '../parts/clean';
import { LogLine } from './LogLine';
import './log.css';

/** The recorded protocol messages between Weft and the agent of a space. */
export function ProtocolLog({ spaceId }: { spaceId: string }) {
  const weft = useWeft();
  const session = weft.session(spaceId);
  const running = useStore(session.store, (state) => state.conversation.runs.map(({ id }) => id).join());
  const members = useStore(session.store, ({ space }) => space?.members) ?? [];
  const [memberId, setMemberId] = useState('');
  const [filter, setFilter] = useState('');
  const log = useProtocolLog(spaceId, memberId, filter, running);
  const { error } = log;
  const entries = log.data?.pages.flat();

  const copyAll = () => {
    const text = (entries ?? [])
      .map((entry) => `${(entry.at / 1000).toFixed(3)} ${entry.dir} ${entry.line}`)
      .join('\n');
    void copyText(text).then(() => say(t('log.copied', { count: entries?.length ?? 0 })));
  };
  return (
    <section className="log" aria-label={t('log.title')}>
      <header className="log-head">
        <h2>{t('log.title')}</h2>
        <span className="grow" />
        <button
          type="button"
          className="icon-button"
          aria-label={t('log.reload')}
          title={t('log.reload')}
          onClick={log.again}
        >
          <RefreshCw size={14} aria-hidden />
        </button>
        <button
          type="button"
          className="icon-button"
          aria-label={t('log.copy')}
          title={t('log.copy')}
          onClick={copyAll}
        >
          <Copy size={14} aria-hidden />
        </button>
        <button
          type="button"
          className="icon-button"
          aria-label={t('log.close')}
          title={t('log.close')}
          onClick={() => weft.togglePanel('log')}
        >
          <X size={16} aria-hidden />
        </button>
      </header>
      {members.length > 1 && (
        <select
          className="field log-member"
          aria-label={t('log.member')}
          value={memberId || defaultMember({ members }).id}
          onChange={(event) => setMemberId(event.target.value)}
        >
          {members.map(({ id, name }) => (
            <option key={id} value={id}>
              {oneLine(name)}
            </option>
          ))}
        </select>
      )}
      <label className="search log-search">
        <Search size={14} aria-hidden />
        <input
          type="search"
          value={filter}
          placeholder={t('log.filter')}
          aria-label={t('log.filter')}
          onChange={(event) => setFilter(event.target.value)}
        />
      </label>
      {error !== null && <p className="log-empty">{error.message}</p>}
      {entries?.length === 0 && error === null && (
        <p className="log-empty">{filter === '' ? t('log.empty') : t('log.noMatch')}</p>
      )}
      <VList className="log-list" data={entries ?? []}>
        {(entry) => <LogLine key={entry.n} entry={entry} />}
      </VList>
      {log.hasNextPage && (
        <button type="button" className="text-button log-more" onClick={() => void log.fetchNextPage()}>
          {t('log.more')}
        </button>
      )}
    </section>
  );
}
