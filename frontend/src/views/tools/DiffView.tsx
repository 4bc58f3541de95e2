import { useLayoutEffect, useMemo, useRef, useState } from 'react';
import { t } from '../../i18n';
import type { Content } from '../../transcript/types';
import { Counts, countsOf } from '../diff/Counts';
import { useHighlighting } from '../diff/highlighting';
import { PlainRow } from '../diff/PlainRow';
import { firstChanged, lineEndMatters, plainRowsOf, type Sides, sidesBetween } from '../diff/rows';
import { count } from '../parts/numbers';
import { PlaceLink } from '../places/PlaceLink';
import { useReading } from '../transcript/reading';
import { useBlobText } from './BlobText';
import { usePath } from './usePath';

const limit = 1 << 20;
const mostRows = 300;

interface DiffViewProps {
  content: Content;
  atEnd?: boolean | undefined;
  /** Language for highlighting, if the path doesn't determine it. */
  language?: string;
}

/**
 * The change of a call to one file, as removed and added lines in one column. Starts at its end if that was being read.
 */
export function DiffView({ content, atEnd = false, language = '' }: DiffViewProps) {
  const path = usePath();
  const { session } = useReading();
  const before = useBlobText(content.oldRef, limit);
  const after = useBlobText(content.newRef, limit);
  const oldText = content.oldRef === undefined ? (content.oldText ?? '') : before.text;
  const newText = content.newRef === undefined ? (content.newText ?? '') : after.text;
  const sides = useMemo(
    () => (oldText === null || newText === null ? null : sidesBetween(oldText, newText, content.line)),
    [oldText, newText, content.line],
  );
  return (
    <figure className="diff" data-path={path(content.path ?? '')}>
      <figcaption className="diff-head">
        <PlaceLink
          className="diff-path mono truncate"
          spaceId={session.spaceId}
          path={content.path ?? ''}
          line={before.failed || after.failed ? 0 : firstChanged(sides)}
        >
          {path(content.path ?? '')}
        </PlaceLink>
        {content.newFile === true && <span className="diff-new">{t('diff.newFile')}</span>}
        <Counts {...totals(content, sides)} />
      </figcaption>
      {before.failed || after.failed ? (
        <p className="quiet-text diff-empty">{t('tool.blobFailed')}</p>
      ) : sides === null ? (
        <p className="quiet-text diff-empty delayed">{t('loading')}</p>
      ) : sides.hunks.length === 0 ? (
        <p className="quiet-text diff-empty">{t('diff.same')}</p>
      ) : (
        <Lines path={language || (content.path ?? '')} sides={sides} atEnd={atEnd} />
      )}
    </figure>
  );
}

/** The reported line counts, or those of the diff. */
function totals({ added = 0, removed = 0 }: Content, sides: Sides | null) {
  return added + removed > 0 || sides === null ? { added, removed } : countsOf(sides);
}

function Lines({ path, sides, atEnd }: { path: string; sides: Sides; atEnd: boolean }) {
  const box = useRef<HTMLElement>(null);
  const [most, setMost] = useState(mostRows);
  const [open, setOpen] = useState<ReadonlySet<number>>(new Set());
  const rows = useMemo(() => plainRowsOf(sides, false, open), [sides, open]);
  const colours = useHighlighting(path, sides);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only initially; then the user scrolls
  useLayoutEffect(() => {
    if (atEnd && rows.length <= most && box.current !== null)
      box.current.scrollTop = box.current.scrollHeight;
  }, []);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by keyboard
    <section ref={box} className="diff-lines" tabIndex={0} aria-label={t('diff.label')}>
      {rows.slice(0, most).map((row, i) => (
        <PlainRow
          // biome-ignore lint/suspicious/noArrayIndexKey: the rows are recreated together
          key={i}
          row={row}
          sides={sides}
          highlighted={colours}
          ends={lineEndMatters(sides)}
          onFold={(from) => setOpen(new Set([...open, from]))}
        />
      ))}
      {rows.length > most && (
        <button type="button" className="text-button diff-more" onClick={() => setMost(most * 4)}>
          {t('diff.more', { count: rows.length - most, n: count(rows.length - most) })}
        </button>
      )}
    </section>
  );
}
