import { Copy, RefreshCw, Search, X } from 'lucide-react';
import { useCallback, useEffect, useRef, useState } from 'react';
import { VList } from 'virtua';
import { t } from '../../i18n';
import { copyText } from '../../markdown';
import { defaultMember } from '../../state/members';
import { say } from '../../state/notify';
import { useStore } from '../../state/store';
import { useWeft } from '../../state/weft';
import type { ProtocolEntry } from '../../transport/api';
import { asCommandError } from '../../transport/transport';
import { oneLine } from '../parts/clean';
import { LogLine } from './LogLine';
import './log.css';

const page = 300;

/** The traffic between Weft and the agent of a space, as it was. */
export function ProtocolLog({ spaceId }: { spaceId: string }) {
  const weft = useWeft();
  const session = weft.session(spaceId);
  const running = useStore(session.store, (state) => state.conversation.runs.map(({ id }) => id).join());
  const members = useStore(session.store, ({ space }) => space?.members) ?? [];
  const [memberId, setMemberId] = useState('');
  const [filter, setFilter] = useState('');
  const [entries, setEntries] = useState<readonly ProtocolEntry[] | null>(null);
  const [more, setMore] = useState(false);
  const [error, setError] = useState('');
  const asked = useRef(0);

  const pull = useCallback(
    async (after: number, before: readonly ProtocolEntry[]) => {
      const mine = ++asked.current;
      try {
        const found =
          (await weft.transport.call('ProtocolLog', { spaceId, memberId, after, limit: page, filter })) ?? [];
        if (mine !== asked.current) return;
        setEntries([...before, ...found]);
        setMore(found.length === page);
        setError('');
      } catch (failure) {
        if (mine === asked.current) setError(asCommandError(failure).message);
      }
    },
    [weft, spaceId, memberId, filter],
  );
  // Anew for another filter, and when a turn begins or ends.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the turn's state is a reason to read again
  useEffect(() => {
    const timer = setTimeout(() => void pull(0, []), filter === '' ? 0 : 150);
    return () => clearTimeout(timer);
  }, [pull, filter, running]);

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
          onClick={() => void pull(0, [])}
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
      {error !== '' && <p className="log-empty">{error}</p>}
      {entries?.length === 0 && error === '' && (
        <p className="log-empty">{filter === '' ? t('log.empty') : t('log.noMatch')}</p>
      )}
      <VList className="log-list" data={entries ?? []}>
        {(entry) => <LogLine key={entry.n} entry={entry} />}
      </VList>
      {more && (
        <button
          type="button"
          className="text-button log-more"
          onClick={() => void pull(entries?.at(-1)?.n ?? 0, entries ?? [])}
        >
          {t('log.more')}
        </button>
      )}
    </section>
  );
}
