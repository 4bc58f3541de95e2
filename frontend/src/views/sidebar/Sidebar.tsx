import { Archive, ChevronLeft, PanelLeft, Plus, Search, Settings } from 'lucide-react';
import { useMemo, useRef, useState } from 'react';
import { t } from '../../i18n';
import { useActions } from '../../keyboard/actions';
import { useArchived } from '../../queries/spaces';
import { type Group, groupsOf, markOf, markOfAll } from '../../state/branches';
import { useStore } from '../../state/store';
import { useWeft } from '../../state/weft';
import { Brand } from '../parts/Brand';
import { Hint } from '../parts/Hint';
import { returnFocus } from '../parts/returnFocus';
import { Inbox } from './Inbox';
import { SpaceRow } from './SpaceRow';
import './sidebar.css';

/** So many marks turn at most: where more spaces run, each that turns would cost every frame. */
const turning = 4;

/** The spaces, and the ways to everything else. */
export function Sidebar({ children }: { children?: React.ReactNode }) {
  const weft = useWeft();
  const spaces = useStore(weft.server, (state) => state.spaces);
  const selected = useStore(weft.shown, (state) => (state.screen === 'space' ? state.selected : null));
  const screen = useStore(weft.shown, (state) => state.screen);
  const [query, setQuery] = useState('');
  const [archive, setArchive] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  useActions([
    {
      id: 'spaces.search',
      title: t('action.searchSpaces'),
      section: t('section.spaces'),
      keys: 'mod+shift+o',
      run: () => {
        if (!weft.shown.get().sidebarOpen) weft.toggleSidebar();
        requestAnimationFrame(() => field.current?.focus());
      },
    },
    {
      id: 'spaces.archived',
      title: t('action.archived'),
      section: t('section.spaces'),
      run: () => setArchive(true),
    },
  ]);
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const found = spaces.filter(({ title, agentName }) => {
    const text = `${title} ${agentName}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
  const waiting = spaces.filter(({ state }) => state === 'waiting').length;
  const running = found.filter((space) => space.state === 'running').length;
  return (
    <nav className="sidebar" aria-label={t('sidebar.label')}>
      <div className="sidebar-top">
        <span className="brand">
          <Brand />
          Weft
        </span>
        <Hint label={t('action.toggleSidebar')} keys="mod+b">
          <button
            type="button"
            className="icon-button"
            aria-label={t('action.toggleSidebar')}
            onClick={() => weft.toggleSidebar()}
          >
            <PanelLeft size={16} aria-hidden />
          </button>
        </Hint>
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
              if (event.key === 'Enter' && found[0] !== undefined) weft.select(found[0].id);
            }}
          />
        </label>
      </div>
      <Inbox />
      {archive ? (
        <Archived query={query} selected={selected} onBack={() => setArchive(false)} />
      ) : (
        <div className="sidebar-list">
          {waiting > 0 && (
            <p className="visually-hidden" aria-live="polite">
              {t('sidebar.waiting', { count: waiting })}
            </p>
          )}
          {found.length === 0 ? (
            <p className="sidebar-empty">
              {spaces.length === 0 ? t('sidebar.empty') : t('sidebar.noMatch', { query })}
            </p>
          ) : (
            <ul aria-label={t('sidebar.spaces')} data-still={running > turning || undefined}>
              {words.length > 0
                ? found.map((space) => (
                    <SpaceRow key={space.id} space={space} chosen={space.id === selected} />
                  ))
                : groupsOf(found).map((group) => (
                    <TreeRows key={group.id} group={group} selected={selected} />
                  ))}
            </ul>
          )}
        </div>
      )}
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
          <Hint label={t('action.archived')}>
            <button
              type="button"
              className="icon-button"
              aria-label={t('action.archived')}
              onClick={() => setArchive(true)}
            >
              <Archive size={15} aria-hidden />
            </button>
          </Hint>
        )}
      </div>
      {children}
    </nav>
  );
}

/** The trees that the user has opened or closed; else one is open while the chosen space is in it. */
const opened = new Map<string, boolean>();

/** A space and, when they are shown, its branches. */
function TreeRows({ group, selected }: { group: Group; selected: string | null }) {
  const { id, root, branches } = group;
  const within = branches.some((space) => space.id === selected);
  const [chosen, setChosen] = useState(opened.get(id));
  const open = chosen ?? (within || root.id === selected);
  const count = branches.length;
  const tree = useMemo(
    () =>
      count === 0
        ? undefined
        : {
            open,
            branches: count,
            toggle: (wanted: boolean) => {
              opened.set(id, wanted);
              setChosen(wanted);
            },
          },
    [id, open, count],
  );
  return (
    <>
      <SpaceRow
        space={root}
        chosen={root.id === selected || (within && !open)}
        mark={open ? markOf(root) : markOfAll([root, ...branches])}
        tree={tree}
      />
      {open &&
        branches.map((space) => (
          <SpaceRow key={space.id} space={space} chosen={space.id === selected} nested />
        ))}
    </>
  );
}

function Archived({
  query,
  selected,
  onBack,
}: {
  query: string;
  selected: string | null;
  onBack: () => void;
}) {
  const weft = useWeft();
  const live = useStore(weft.server, (state) => state.spaces);
  const { data: spaces, error } = useArchived(query);
  const known = useMemo(() => new Set(live.map(({ id }) => id)), [live]);
  const shown = spaces?.filter(({ id }) => !known.has(id));
  return (
    <div className="sidebar-list">
      <button type="button" className="sidebar-back" onClick={onBack}>
        <ChevronLeft size={14} aria-hidden />
        {t('sidebar.archived')}
      </button>
      {error !== null && <p className="sidebar-empty">{error.message}</p>}
      {shown?.length === 0 && <p className="sidebar-empty">{t('sidebar.noArchived')}</p>}
      <ul aria-label={t('sidebar.archived')}>
        {shown?.map((space) => (
          <SpaceRow key={space.id} space={space} chosen={space.id === selected} />
        ))}
      </ul>
    </div>
  );
}
