import { Archive, ChevronLeft, PanelLeft, Plus, Search, Settings } from 'lucide-react';
import { type ReactNode, useMemo, useRef } from 'react';
import { flushSync } from 'react-dom';
import { t } from '../../i18n';
import { useActions } from '../../keyboard/actions';
import { useArchived } from '../../queries/spaces';
import { plainLines } from '../../state/list';
import { useStore } from '../../state/store';
import { useWeft } from '../../state/weft';
import { Brand } from '../parts/Brand';
import { oneLine } from '../parts/clean';
import { Keys } from '../parts/Keys';
import { returnFocus } from '../parts/returnFocus';
import { Tooltip } from '../parts/Tooltip';
import { useRest } from '../shell/later';
import { Inbox } from './Inbox';
import { SpaceList } from './SpaceList';
import { TagFilter } from './TagFilter';
import { useInside } from './useInside';
import { useLines } from './useLines';
import { useListActions } from './useListActions';
import './sidebar.css';

interface SidebarProps {
  children?: ReactNode;
}

/** The list of spaces, and navigation to everything else. */
export function Sidebar({ children }: SidebarProps) {
  const weft = useWeft();
  const screen = useStore(weft.shown, (state) => state.screen);
  const archive = useStore(weft.list, (state) => state.archive);
  const query = useStore(weft.list, (state) => state.query);
  const field = useRef<HTMLInputElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const rest = useRest();
  useActions([
    {
      id: 'spaces.search',
      title: t('action.searchSpaces'),
      section: t('section.spaces'),
      keys: 'mod+shift+o',
      run: () => {
        // Synchronously, so that the next key doesn't go to the previously focused element.
        if (field.current?.checkVisibility() !== true) flushSync(() => weft.toggleSidebar());
        field.current?.focus();
      },
    },
    {
      id: 'spaces.archived',
      title: t('action.archived'),
      section: t('section.spaces'),
      run: () => weft.list.set({ archive: true }),
    },
  ]);
  useListActions();
  const { inside, rows, all } = useInside();
  const setQuery = (text: string) => weft.list.set({ query: text });
  return (
    <nav className="sidebar" aria-label={t('sidebar.label')} {...all}>
      <div className="sidebar-top">
        <span className="brand">
          <Brand />
          Weft
        </span>
        <Tooltip label={t('action.toggleSidebar')} keys="mod+b">
          <button
            type="button"
            className="icon-button"
            data-toggles="sidebar"
            aria-label={t('action.toggleSidebar')}
            onClick={() => weft.toggleSidebar()}
          >
            <PanelLeft size={16} aria-hidden />
          </button>
        </Tooltip>
      </div>
      <div className="sidebar-tools">
        <button
          type="button"
          className="new-space"
          aria-current={screen === 'new' ? 'page' : undefined}
          onClick={() => weft.show('new')}
        >
          <Plus size={16} aria-hidden />
          {t('space.new')}
        </button>
        <div className="sidebar-find">
          <label className="search">
            <Search size={14} aria-hidden />
            <input
              ref={field}
              type="search"
              value={query}
              placeholder={t('sidebar.search')}
              aria-label={t('sidebar.search')}
              onChange={(event) => setQuery(event.target.value)}
              onKeyDown={(event) => {
                if (event.key === 'Escape') {
                  event.stopPropagation();
                  setQuery('');
                  event.currentTarget.blur();
                  returnFocus();
                }
                if (event.key === 'Enter') list.current?.querySelector<HTMLElement>('.space-button')?.click();
                if (event.key === 'ArrowDown') {
                  event.preventDefault();
                  list.current?.querySelector<HTMLElement>('.space-button, .group-button')?.focus();
                }
              }}
            />
          </label>
          {rest !== null && !archive && <rest.ViewMenu />}
        </div>
        {query.trim() !== '' && (
          <button type="button" className="sidebar-everywhere" onClick={() => weft.showSearch(query)}>
            <span className="sidebar-everywhere-text truncate">
              {t('sidebar.everywhere', { query: oneLine(query) })}
            </span>
            <Keys keys="mod+shift+f" />
          </button>
        )}
        {!archive && <TagFilter />}
      </div>
      <Inbox />
      <div ref={list} className="sidebar-lists" {...rows}>
        {archive ? <Archived query={query} /> : <Spaces query={query} held={inside} />}
      </div>
      {rest !== null && <rest.PickedBar archive={archive} />}
      {rest !== null && <rest.UpdateNotice />}
      <div className="sidebar-foot">
        <button
          type="button"
          className="foot-button"
          aria-current={screen === 'settings' ? 'page' : undefined}
          onClick={() => weft.show('settings')}
        >
          <Settings size={15} aria-hidden />
          {t('settings.title')}
        </button>
        {!archive && (
          <Tooltip label={t('action.archived')}>
            <button
              type="button"
              className="icon-button"
              aria-label={t('action.archived')}
              onClick={() => weft.list.set({ archive: true, picked: new Set() })}
            >
              <Archive size={15} aria-hidden />
            </button>
          </Tooltip>
        )}
      </div>
      {children}
    </nav>
  );
}

function Spaces({ query, held }: { query: string; held: boolean }) {
  const weft = useWeft();
  const none = useStore(weft.server, ({ spaces }) => spaces.length === 0);
  const lines = useLines(query, held);
  if (lines.length > 0) return <SpaceList label={t('sidebar.spaces')} lines={lines} held={held} />;
  return (
    <p className="sidebar-empty">
      {none
        ? t('sidebar.empty')
        : query.trim() === ''
          ? t('list.noneTagged')
          : t('sidebar.noMatch', { query })}
    </p>
  );
}

function Archived({ query }: { query: string }) {
  const weft = useWeft();
  const live = useStore(weft.server, (state) => state.spaces);
  const { data: spaces, error } = useArchived(query);
  const lines = useMemo(() => {
    const known = new Set(live.map(({ id }) => id));
    return plainLines(spaces?.filter(({ id }) => !known.has(id)) ?? [], []);
  }, [live, spaces]);
  return (
    <>
      <button
        type="button"
        className="sidebar-back"
        onClick={() => weft.list.set({ archive: false, picked: new Set() })}
      >
        <ChevronLeft size={14} aria-hidden />
        {t('sidebar.archived')}
      </button>
      {error !== null && <p className="sidebar-empty">{error.message}</p>}
      {spaces !== undefined && lines.length === 0 && (
        <p className="sidebar-empty">{t('sidebar.noArchived')}</p>
      )}
      <SpaceList label={t('sidebar.archived')} lines={lines} archive />
    </>
  );
}
