import { useLayoutEffect, useMemo, useRef, useState } from 'react';
import { t } from '../../i18n';
import type { Content } from '../../transcript/types';
import { Counts, countsOf } from '../diff/Counts';
import { useColours } from '../diff/colours';
import { PlainRow } from '../diff/PlainRow';
import { endsTold, rowsOf, type Sides, sidesBetween } from '../diff/rows';
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
  /** The language of its colors, where the path doesn't say it. */
  language?: string;
}

/** What a call changes in one file, as one column of removed and added lines; its end first where that was being read. */
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
          className="diff-path mono"
          spaceId={session.spaceId}
          path={content.path ?? ''}
          line={firstChanged(sides)}
        >
          {path(content.path ?? '')}
        </PlaceLink>
        {content.newFile === true && <span className="diff-new">{t('diff.newFile')}</span>}
        <Counts {...totals(content, sides)} />
      </figcaption>
      {before.failed || after.failed ? (
        <p className="quiet-text diff-empty">{t('tool.blobFailed')}</p>
      ) : sides === null ? (
        <p className="quiet-text diff-empty late">{t('loading')}</p>
      ) : sides.hunks.length === 0 ? (
        <p className="quiet-text diff-empty">{t('diff.same')}</p>
      ) : (
        <Lines path={language || (content.path ?? '')} sides={sides} atEnd={atEnd} />
      )}
    </figure>
  );
}

/** The first line that was changed, as it is numbered now; 0 where there is none. */
function firstChanged(sides: Sides | null): number {
  const start = sides?.hunks[0]?.newStart;
  return start === undefined ? 0 : start + (sides?.first ?? 1) - 1;
}

/** The lines that were told, or those that are shown. */
function totals({ added = 0, removed = 0 }: Content, sides: Sides | null) {
  return added + removed > 0 || sides === null ? { added, removed } : countsOf(sides);
}

function Lines({ path, sides, atEnd }: { path: string; sides: Sides; atEnd: boolean }) {
  const box = useRef<HTMLElement>(null);
  const [most, setMost] = useState(mostRows);
  const [open, setOpen] = useState<ReadonlySet<number>>(new Set());
  const rows = useMemo(() => rowsOf(sides, false, open).filter(({ kind }) => kind !== 'hunk'), [sides, open]);
  const colours = useColours(path, sides);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only at first; then it is where the user has it
  useLayoutEffect(() => {
    if (atEnd && rows.length <= most && box.current !== null)
      box.current.scrollTop = box.current.scrollHeight;
  }, []);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls has to be reachable by key
    <section ref={box} className="diff-lines" tabIndex={0} aria-label={t('diff.label')}>
      {rows.slice(0, most).map((row, i) => (
        <PlainRow
          // biome-ignore lint/suspicious/noArrayIndexKey: the rows are made again as a whole
          key={i}
          row={row}
          sides={sides}
          colours={colours}
          ends={endsTold(sides)}
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
