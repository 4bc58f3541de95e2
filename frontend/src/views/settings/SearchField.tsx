import { Search, X } from 'lucide-react';
import type { Ref } from 'react';
import { t } from '../../i18n';
import { resultId, resultsId } from './SearchResults';

interface SearchFieldProps {
  ref: Ref<HTMLInputElement>;
  query: string;
  /** The number of results, and which of them Enter opens. */
  found: number;
  at: number;
  onQuery(query: string): void;
  onMove(at: number): void;
  onOpen(): void;
  /** Moves down to the sections. */
  onSections(): void;
  onLeave(): void;
}

/** The search field above the sections. It also handles the keys for the results. */
export function SearchField(props: SearchFieldProps) {
  const { query, found, at } = props;
  const searching = query.trim() !== '';
  const onKeyDown = (event: React.KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return;
    switch (event.key) {
      case 'ArrowDown':
        if (searching) props.onMove(found === 0 ? 0 : (at + 1) % found);
        else props.onSections();
        break;
      case 'ArrowUp':
        if (searching && found > 0) props.onMove((at + found - 1) % found);
        break;
      case 'Enter':
        if (found > 0) props.onOpen();
        break;
      case 'Escape':
        if (query === '') props.onLeave();
        else props.onQuery('');
        break;
      default:
        return;
    }
    event.preventDefault();
  };
  return (
    <div className="search settings-search">
      <Search size={14} aria-hidden />
      <input
        ref={props.ref}
        type="search"
        role="combobox"
        aria-label={t('settings.search')}
        placeholder={t('settings.search')}
        aria-autocomplete="list"
        aria-expanded={found > 0}
        aria-controls={found > 0 ? resultsId : undefined}
        aria-activedescendant={found > 0 ? resultId(at) : undefined}
        spellCheck={false}
        value={query}
        onChange={(event) => props.onQuery(event.target.value)}
        onKeyDown={onKeyDown}
      />
      {query !== '' && (
        <button
          type="button"
          className="icon-button quiet"
          aria-label={t('settings.clear')}
          title={t('settings.clear')}
          onClick={() => props.onQuery('')}
        >
          <X size={13} aria-hidden />
        </button>
      )}
    </div>
  );
}
