import { CornerDownLeft, Link } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { t } from '../../i18n';
import { useSearchPreview } from '../../queries/search';
import type { FoundSpace, PreviewPart, SearchHit } from '../../transport/api';
import { oneLine } from '../parts/clean';
import { Lines } from '../parts/Lines';
import { exact } from '../parts/numbers';
import { Pieces } from './Pieces';
import { kindOf } from './words';

interface PreviewProps {
  hit: SearchHit;
  space: FoundSpace | undefined;
  query: string;
  onOpen(): void;
  onCopy(): void;
}

/** The text around a match. */
export function Preview({ hit, space, query, onOpen, onCopy }: PreviewProps) {
  const { data, error } = useSearchPreview(hit, query);
  const box = useRef<HTMLDivElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: run when another text is rendered
  useEffect(() => {
    box.current?.querySelector('mark')?.scrollIntoView({ block: 'center' });
  }, [data]);
  return (
    <section className="search-preview" aria-label={t('search.preview')}>
      <header className="search-preview-head">
        <div className="search-preview-text">
          <h2 className="search-preview-title truncate">{kindOf(hit)}</h2>
          <p className="quiet-text">
            {oneLine(space?.title ?? '') || t('space.untitled')} · {exact(hit.at)}
          </p>
        </div>
        <button type="button" className="button" onClick={onCopy}>
          <Link size={14} aria-hidden />
          {t('search.copyLink')}
        </button>
        <button type="button" className="button primary" onClick={onOpen}>
          <CornerDownLeft size={14} aria-hidden />
          {t('search.open')}
        </button>
      </header>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by keyboard */}
      <section ref={box} className="search-preview-body" tabIndex={0} aria-label={t('search.text')}>
        {error !== null && (
          <p className="search-notice" role="alert">
            <Lines text={error.message} />
          </p>
        )}
        {data?.parts.map((part, i) => (
          <Part
            // biome-ignore lint/suspicious/noArrayIndexKey: the parts are replaced as a whole
            key={i}
            part={part}
            code={hit.kind === 'call' || hit.kind === 'display'}
            named={part.field !== data.parts[i - 1]?.field}
          />
        ))}
      </section>
    </section>
  );
}

function Part({
  part: { field, pieces },
  code,
  named,
}: {
  part: PreviewPart;
  code: boolean;
  /** Its kind differs from the part before. */
  named: boolean;
}) {
  const plain = field === 'text' || !code;
  return (
    <div className="search-part">
      {code && named && <h3 className="search-part-name">{t(`search.field.${field}`)}</h3>}
      <pre className={plain ? 'search-part-text' : 'search-part-text search-part-code'}>
        <Pieces of={pieces} whole />
      </pre>
    </div>
  );
}
