import { Search, X } from 'lucide-react';
import { useCallback, useEffect, useId, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { t } from '../../i18n';
import { translated } from '../../i18n/said';
import { useActions } from '../../keyboard/actions';
import type { SearchTotal } from '../../state/globalSearch';
import { filtersOf } from '../../state/searchQuery';
import { useStore } from '../../state/store';
import { useWeft } from '../../state/weft';
import { afterDialogs } from '../parts/afterDialogs';
import { lines as cleanLines } from '../parts/clean';
import { count } from '../parts/numbers';
import { Tooltip } from '../parts/Tooltip';
import { useFittingWidths } from '../parts/useFittingWidths';
import { copyLink } from '../places/copyLink';
import { FilterBar } from './FilterBar';
import { type Choice, canBeChosen, linesOf } from './lines';
import { Preview } from './Preview';
import { ResultList } from './ResultList';
import { markOf, messagesOf } from './words';
import './search.css';

/** From this width in pixels on, a preview fits beside the list. */
const bothColumns = [860];

/** The search of all spaces. */
export function SearchScreen() {
  const weft = useWeft();
  const search = weft.globalSearch;
  const found = useStore(search.store, (state) => state);
  const opened = useStore(search.view, (state) => state.n);
  const [query, setQuery] = useState(() => search.view.get().query);
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  const [chosen, setChosen] = useState<string | null>(null);
  const box = useRef<HTMLElement>(null);
  const field = useRef<HTMLInputElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const id = useId();
  const wide = useFittingWidths(box, bothColumns) > 0;

  // biome-ignore lint/correctness/useExhaustiveDependencies: also when it is opened again
  useLayoutEffect(() => {
    setQuery(search.view.get().query);
    afterDialogs(() => {
      field.current?.focus({ preventScroll: true });
      field.current?.select();
    });
  }, [opened, search]);
  const change = (text: string) => {
    setQuery(text);
    search.view.set({ query: text });
  };
  // Without debouncing: a search takes less time than typing the next key. The last results are shown at once when the
  // user returns.
  useEffect(() => search.search(query), [query, search]);
  useEffect(() => () => search.stop(), [search]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: run for another query
  useEffect(() => {
    setOpen(new Set());
    list.current?.scrollTo({ top: 0 });
  }, [found.query]);

  const lines = useMemo(() => linesOf(found, open), [found, open]);
  const choices = useMemo(() => lines.filter(canBeChosen), [lines]);
  const at = Math.max(
    choices.findIndex(({ key }) => key === chosen),
    choices.length === 0 ? -1 : 0,
  );
  const choice = choices[at];
  const go = useCallback(
    (to: Choice | undefined) => {
      if (to === undefined) return;
      switch (to.kind) {
        case 'title':
          weft.select(to.title.id);
          return;
        case 'rest':
          setOpen((before) => new Set(before).add(to.space.id));
          return;
        case 'more':
          search.more();
          return;
        case 'hit': {
          const { spaceId, messageId, segment, item, snippet } = to.hit;
          weft.goTo(spaceId, { messageId, segment, item }, markOf(snippet));
        }
      }
    },
    [weft, search],
  );
  const copy = () => {
    if (choice?.kind !== 'hit') return;
    const { spaceId, messageId, segment, item } = choice.hit;
    void copyLink(spaceId, { messageId, segment, item });
  };
  const onKeyDown = (event: React.KeyboardEvent) => {
    const by = { ArrowDown: 1, ArrowUp: -1, PageDown: 8, PageUp: -8 }[event.key];
    if (event.nativeEvent.isComposing) return;
    if (by !== undefined && choices.length > 0) {
      event.preventDefault();
      const to = Math.min(Math.max(at + by, 0), choices.length - 1);
      setChosen(choices[to]?.key ?? null);
    } else if (event.key === 'Enter') {
      event.preventDefault();
      go(choice);
    } else if (event.key === 'Escape') {
      event.preventDefault();
      weft.leaveSearch();
    }
  };
  useActions([
    {
      id: 'search.close',
      title: t('search.close'),
      section: t('section.weft'),
      keys: 'Escape',
      run: () => weft.leaveSearch(),
    },
    {
      id: 'search.copyLink',
      title: t('search.copyLink'),
      section: t('section.weft'),
      keys: 'alt+l',
      run: copy,
    },
  ]);

  const typed = query.trim() !== '';
  const nothing = typed && !found.busy && found.query === query && lines.length === 0 && found.error === null;
  return (
    <main ref={box} className="searching" aria-label={t('search.title')}>
      <div className="search-top">
        <h1 className="visually-hidden">{t('search.title')}</h1>
        <label className="search search-field">
          <Search size={15} aria-hidden />
          <input
            ref={field}
            type="text"
            role="combobox"
            aria-expanded={choices.length > 0}
            aria-controls={id}
            aria-activedescendant={choice === undefined ? undefined : `${id}-${lines.indexOf(choice)}`}
            aria-autocomplete="list"
            aria-label={t('search.title')}
            placeholder={t('search.placeholder')}
            spellCheck={false}
            autoComplete="off"
            value={query}
            onChange={(event) => {
              setChosen(null);
              change(event.target.value);
            }}
            onKeyDown={onKeyDown}
          />
        </label>
        <Tooltip label={t('search.close')} keys="Escape">
          <button
            type="button"
            className="icon-button"
            aria-label={t('search.close')}
            onClick={() => weft.leaveSearch()}
          >
            <X size={16} aria-hidden />
          </button>
        </Tooltip>
      </div>
      <FilterBar
        query={query}
        onExport={
          found.hits.length > 0 && typed
            ? () =>
                weft.dialogs.set({
                  exporting: { spaceId: '', messageId: '', lastId: '', places: messagesOf(found.hits) },
                })
            : undefined
        }
        onChange={change}
        onRemoved={() => field.current?.focus()}
      />
      {found.index.total > 0 && typed && (
        <p className="search-notice" role="status">
          {t('search.indexing', { percent: Math.floor((found.index.done / found.index.total) * 100) })}
        </p>
      )}
      {found.notes.map((note) => (
        <p key={note} className="search-notice">
          {cleanLines(translated(note))}
        </p>
      ))}
      {found.error !== null && typed && (
        <p className="search-notice" role="alert">
          {cleanLines(found.error.message)}
        </p>
      )}
      {typed && (
        <p className={lines.length > 0 ? 'search-total' : 'visually-hidden'} role="status">
          {nothing || found.hits.length > 0
            ? found.total !== null && totalOf(found.total)
            : found.titles.length > 0 && conversations(found.titles.length)}
        </p>
      )}
      <div className="search-body">
        {lines.length > 0 && typed && (
          <ResultList
            id={id}
            lines={lines}
            chosen={choice?.key ?? null}
            scroller={list}
            busy={found.busy}
            onChoose={(to) => {
              setChosen(to.key);
              if (!wide || to.kind !== 'hit') go(to);
            }}
            onOpen={go}
          />
        )}
        {wide && typed && choice?.kind === 'hit' && (
          <Preview
            hit={choice.hit}
            space={found.spaces.get(choice.hit.spaceId)}
            query={found.query}
            onOpen={() => go(choice)}
            onCopy={copy}
          />
        )}
        {nothing && (
          <div className="search-empty">
            <p>{t('search.none')}</p>
            {filtersOf(query).length > 0 && <p className="quiet-text">{t('search.noneFilters')}</p>}
          </div>
        )}
        {!typed && <Guide />}
      </div>
    </main>
  );
}

/** The total number of results as text. */
function totalOf({ results, spaces, more }: SearchTotal): string {
  const n = {
    results: t('search.count', { count: results, n: count(results) }),
    spaces: conversations(spaces),
  };
  if (results === 0) return n.results;
  return t(more ? 'search.totalMore' : 'search.total', n);
}

function conversations(n: number): string {
  return t('search.spaces', { count: n, n: count(n) });
}

/** Help on the query syntax. */
function Guide() {
  const rows = [
    ['useEffect( error', t('search.guide.words')],
    ['"connection refused"', t('search.guide.phrase')],
    ['timeout -retry', t('search.guide.not')],
    ['kind:call has:error', t('search.guide.kind')],
    ['file:src/app agent:claude', t('search.guide.file')],
    ['after:7d before:2026-11-01', t('search.guide.time')],
  ] as const;
  return (
    <div className="search-guide">
      <p className="quiet-text">{t('search.lead')}</p>
      <dl>
        {rows.map(([example, words]) => (
          <div key={example} className="search-guide-row">
            <dt>
              <code>{example}</code>
            </dt>
            <dd>{words}</dd>
          </div>
        ))}
      </dl>
    </div>
  );
}
