import { useEffect, useRef } from 'react';
import { t } from '../../i18n';
import { count } from '../parts/numbers';
import type { Find } from './finds';
import { sectionName } from './sections';

interface SearchResultsProps {
  query: string;
  found: readonly Find[];
  /** The one that Enter opens. */
  at: number;
  onOpen(find: Find): void;
}

export const resultsId = 'settings-results';
export const resultId = (i: number) => `settings-result-${i}`;

/** What the search has found, with the section that it is in. The field above the sections has the keyboard. */
export function SearchResults({ query, found, at, onOpen }: SearchResultsProps) {
  const list = useRef<HTMLDivElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another one is chosen
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
          // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are the field's
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
