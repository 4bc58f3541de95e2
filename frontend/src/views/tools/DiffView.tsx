import { useLayoutEffect, useMemo, useRef, useState } from 'react';
import { t } from '../../i18n';
import type { Content } from '../../transcript/types';
import { lines as shownText } from '../parts/clean';
import { count } from '../parts/numbers';
import { PlaceLink } from '../places/PlaceLink';
import { useReading } from '../transcript/reading';
import { useBlobText } from './BlobText';
import { diffLines, type Hunk, hunks } from './diff';
import { usePath } from './usePath';

const limit = 1 << 20;
const mostLines = 300;

/** What a call changes in one file, as one column of removed and added lines; its end first where that was being read. */
export function DiffView({ content, atEnd = false }: { content: Content; atEnd?: boolean | undefined }) {
  const path = usePath();
  const { session } = useReading();
  const before = useBlobText(content.oldRef, limit);
  const after = useBlobText(content.newRef, limit);
  const oldText = content.oldRef === undefined ? (content.oldText ?? '') : before.text;
  const newText = content.newRef === undefined ? (content.newText ?? '') : after.text;
  const parts = useMemo(
    () => (oldText === null || newText === null ? null : hunks(diffLines(oldText, newText, content.line))),
    [oldText, newText, content.line],
  );
  return (
    <figure className="diff" data-path={path(content.path ?? '')}>
      <figcaption className="diff-head">
        <PlaceLink
          className="diff-path mono"
          spaceId={session.spaceId}
          path={content.path ?? ''}
          line={firstChanged(parts)}
        >
          {path(content.path ?? '')}
        </PlaceLink>
        {content.newFile === true && <span className="diff-new">{t('diff.newFile')}</span>}
        <Counts parts={parts} content={content} />
      </figcaption>
      {before.failed || after.failed ? (
        <p className="quiet-text diff-empty">{t('tool.blobFailed')}</p>
      ) : parts === null ? (
        <p className="quiet-text diff-empty late">{t('loading')}</p>
      ) : parts.length === 0 ? (
        <p className="quiet-text diff-empty">{t('diff.same')}</p>
      ) : (
        <Lines parts={parts} atEnd={atEnd} />
      )}
    </figure>
  );
}

/** The first line that was changed, as it is numbered now. */
function firstChanged(parts: readonly Hunk[] | null): number {
  const line = parts?.[0]?.lines.find(({ type }) => type !== 'same');
  return line?.after ?? line?.before ?? 0;
}

function Counts({ parts, content }: { parts: readonly Hunk[] | null; content: Content }) {
  let added = content.added ?? 0;
  let removed = content.removed ?? 0;
  if (added === 0 && removed === 0) {
    for (const { lines } of parts ?? []) {
      added += lines.filter(({ type }) => type === 'added').length;
      removed += lines.filter(({ type }) => type === 'removed').length;
    }
  }
  return (
    <span className="diff-counts tabular">
      {added > 0 && <span className="diff-added">+{count(added)}</span>}{' '}
      {removed > 0 && <span className="diff-removed">−{count(removed)}</span>}
    </span>
  );
}

function Lines({ parts, atEnd }: { parts: readonly Hunk[]; atEnd: boolean }) {
  const box = useRef<HTMLElement>(null);
  const [most, setMost] = useState(mostLines);
  let left = most;
  const total = parts.reduce((sum, part) => sum + part.lines.length, 0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only at first; then it is where the user has it
  useLayoutEffect(() => {
    if (atEnd && total <= most && box.current !== null) box.current.scrollTop = box.current.scrollHeight;
  }, []);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls has to be reachable by key
    <section ref={box} className="diff-lines" tabIndex={0} aria-label={t('diff.label')}>
      {parts.map((part, p) => {
        const shown = part.lines.slice(0, Math.max(0, left));
        left -= part.lines.length;
        if (shown.length === 0) return null;
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: the diff is made again as a whole
          <div key={p} className="diff-hunk">
            {shown.map((line, i) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: as above
              <div key={i} className="diff-line" data-type={line.type}>
                <span className="diff-number tabular" aria-hidden>
                  {line.after ?? line.before}
                </span>
                <span className="diff-sign">
                  {line.type === 'added' ? '+' : line.type === 'removed' ? '−' : ' '}
                </span>
                <span className="diff-text">{shownText(line.text) || ' '}</span>
              </div>
            ))}
          </div>
        );
      })}
      {total > most && (
        <button type="button" className="text-button diff-more" onClick={() => setMost(most * 4)}>
          {t('diff.more', { n: count(total - most) })}
        </button>
      )}
    </section>
  );
}
