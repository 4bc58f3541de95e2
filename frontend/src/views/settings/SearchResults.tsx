import { useEffect, useRef } from 'react';
import { t } from '../../i18n';
import { count } from '../parts/numbers';
import type { SettingEntry } from './allSettings';
import { sectionName } from './sections';

interface SearchResultsProps {
  query: string;
  found: readonly SettingEntry[];
  /** The result that Enter opens. */
  at: number;
  onOpen(find: SettingEntry): void;
}

export const resultsId = 'settings-results';
export const resultId = (i: number) => `settings-result-${i}`;

/** The search results, each with its section. The search field handles the keyboard. */
export function SearchResults({ query, found, at, onOpen }: SearchResultsProps) {
  const list = useRef<HTMLDivElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: run when the selection changes
  useEffect(() => {
    list.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' });
  }, [at]);
  return (
    <section className="settings-part" aria-labelledby="settings-found">
      <h2 id="settings-found">{t('settings.results')}</h2>
      <p className="settings-lead" role="status">
        {found.length === 0
          ? t('settings.noneFound', { query: query.trim() })
          : t('settings.found', { count: found.length, n: count(found.length) })}
      </p>
      <div
        ref={list}
        id={resultsId}
        className="search-results"
        role="listbox"
        aria-label={t('settings.results')}
        hidden={found.length === 0}
      >
        {found.map((find, i) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the field handles keys
          <div
            key={`${find.row}\n${find.title}`}
            id={resultId(i)}
            className="search-result"
            role="option"
            // Focus stays in the field.
            tabIndex={-1}
            aria-selected={i === at}
            onMouseDown={(event) => event.preventDefault()}
            onClick={() => onOpen(find)}
          >
            <span className="search-result-title">{find.title}</span>
            <span className="search-result-section">{sectionName(find.section)}</span>
            {find.about !== '' && <span className="search-result-about">{find.about}</span>}
          </div>
        ))}
      </div>
    </section>
  );
}
