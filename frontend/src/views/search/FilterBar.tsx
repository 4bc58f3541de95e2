import { Menu } from '@base-ui/react/menu';
import { Download, ListFilter, X } from 'lucide-react';
import { t } from '../../i18n';
import { type Filter, type FilterName, filtersOf, withFilter, withoutFilter } from '../../state/searchQuery';
import { useStore } from '../../state/store';
import { useWeft } from '../../state/weft';
import { oneLine } from '../parts/clean';
import { usePopupContainer } from '../parts/usePopupContainer';

const kinds = ['prompt', 'answer', 'thought', 'call', 'display', 'note'] as const;
const times = [
  ['today', 'today'],
  ['week', '7d'],
  ['month', '1m'],
  ['year', '1y'],
] as const;

interface FilterBarProps {
  query: string;
  onChange(query: string): void;
  /** The button that removed a filter is gone. */
  onRemoved(): void;
  /** Exports the results, if there are any. */
  onExport: (() => void) | undefined;
}

/** The filters of a query as chips, and a menu to add some. All of them can also be typed. */
export function FilterBar({ query, onChange, onRemoved, onExport }: FilterBarProps) {
  const weft = useWeft();
  const [host, place] = usePopupContainer();
  const agents = useStore(weft.server, (state) => state.agents);
  const title = useStore(weft.server, ({ spaces }) =>
    oneLine(spaces.find(({ id }) => id === weft.shown.get().selected)?.title ?? ''),
  );
  const add = (name: FilterName, value: string) => onChange(withFilter(query, name, value));
  const entry = (name: FilterName, value: string, words: string) => (
    <Menu.Item key={value} className="menu-item" onClick={() => add(name, value)}>
      <span className="grow">{words}</span>
      <code className="search-syntax">
        {name}:{/\s/.test(value) ? `"${value}"` : value}
      </code>
    </Menu.Item>
  );
  return (
    <div className="search-filters">
      <Menu.Root modal={false}>
        <Menu.Trigger ref={place} className="button">
          <ListFilter size={14} aria-hidden />
          {t('search.filter')}
        </Menu.Trigger>
        <Menu.Portal container={host}>
          <Menu.Positioner sideOffset={6} align="start" collisionPadding={8}>
            <Menu.Popup className="menu search-menu">
              <Menu.Group>
                <Menu.GroupLabel className="search-menu-label">{t('search.filters.kind')}</Menu.GroupLabel>
                {kinds.map((kind) => entry('kind', kind, t(`search.kinds.${kind}`)))}
              </Menu.Group>
              <Menu.Group>
                <Menu.GroupLabel className="search-menu-label">{t('search.filters.when')}</Menu.GroupLabel>
                {times.map(([name, value]) => entry('after', value, t(`search.times.${name}`)))}
              </Menu.Group>
              <Menu.Group>
                <Menu.GroupLabel className="search-menu-label">{t('search.filters.where')}</Menu.GroupLabel>
                {entry('has', 'error', t('search.failed'))}
                {title !== '' && entry('space', title, t('search.thisSpace'))}
                {agents
                  .slice(0, 6)
                  .map(({ id, name }) => entry('agent', oneLine(name) || id, oneLine(name) || id))}
              </Menu.Group>
            </Menu.Popup>
          </Menu.Positioner>
        </Menu.Portal>
      </Menu.Root>
      {filtersOf(query).map((filter) => (
        <Chip
          key={`${filter.from}`}
          filter={filter}
          onRemove={() => {
            onChange(withoutFilter(query, filter));
            onRemoved();
          }}
        />
      ))}
      <span className="grow" />
      {onExport !== undefined && (
        <button type="button" className="button" onClick={onExport}>
          <Download size={14} aria-hidden />
          {t('search.export')}
        </button>
      )}
    </div>
  );
}

function Chip({ filter: { name: of, value, not }, onRemove }: { filter: Filter; onRemove(): void }) {
  const name = `${not ? '-' : ''}${of}`;
  return (
    <span className="search-chip">
      <span className="search-chip-name">{name}:</span>
      <span className="search-chip-value truncate">{oneLine(value)}</span>
      <button
        type="button"
        className="search-chip-remove"
        aria-label={t('search.removeFilter', { filter: `${name}:${oneLine(value)}` })}
        title={t('search.removeFilter', { filter: `${name}:${oneLine(value)}` })}
        onClick={onRemove}
      >
        <X size={12} aria-hidden />
      </button>
    </span>
  );
}
