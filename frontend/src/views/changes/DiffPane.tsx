import { useEffect, useMemo, useRef, useState } from 'react';
import { VList, type VListHandle } from 'virtua';
import { t } from '../../i18n';
import { translated } from '../../i18n/said';
import type { ChangeDiff, ChangedFile } from '../../transport/api';
import { useHighlighting } from '../diff/highlighting';
import { rowsOf, sidesOf } from '../diff/rows';
import { oneLine } from '../parts/clean';
import { PlaceLink } from '../places/PlaceLink';
import { DiffRow } from './DiffRow';
import { noteOf } from './FileRow';
import type { Decision } from './useChanges';

interface DiffPaneProps {
  diff: ChangeDiff | null;
  /** The current entry of the file in the list, if it is still there. */
  file?: ChangedFile;
  error: string;
  spaceId: string;
  split: boolean;
  /** The hunk that shortcuts act on. */
  current?: number;
  /** Incremented whenever the user goes to a hunk. */
  gone?: number;
  onCurrent?(hunk: number): void;
  /** Omitted if there is nothing to decide. */
  onDecide?(decision: Decision, hunk: number): void;
}

/** The changes in one file. */
export function DiffPane({ diff, file: listed, error, spaceId, ...rest }: DiffPaneProps) {
  if (error !== '') return <p className="change-message">{error}</p>;
  if (diff === null) return <p className="change-message quiet-text delayed">{t('loading')}</p>;
  const file = listed ?? diff;
  const lines = file.what !== 'renamed' && diff.reason === '' && (diff.hunks ?? []).length > 0;
  const reason = sentenceOf(diff, file);
  return (
    <div className="change-diff">
      <p className="change-path">
        {file.what === 'deleted' ? (
          <span className="mono">{oneLine(file.path)}</span>
        ) : (
          <PlaceLink
            className="mono"
            spaceId={spaceId}
            path={file.path}
            line={diff.hunks?.[rest.current ?? 0]?.newStart ?? 0}
          >
            {oneLine(file.path)}
          </PlaceLink>
        )}
      </p>
      {noteOf(file) !== '' && <p className="change-message">{noteOf(file)}</p>}
      {diff.stuck !== '' && <p className="change-message">{translated(diff.stuck)}</p>}
      {diff.odd && <p className="change-message">{t('changes.odd')}</p>}
      {diff.changed && <p className="change-message">{t('changes.changedSinceNote')}</p>}
      {reason !== '' && <p className="change-message">{reason}</p>}
      {lines && <Lines key={diff.id} diff={diff} {...rest} />}
    </div>
  );
}

/** Why there are no lines to show. */
function sentenceOf(diff: ChangeDiff, file: ChangedFile): string {
  if (diff.reason !== '') return t(`changes.${diff.reason}`);
  if (diff.hunks?.length || file.what === 'mode' || file.what === 'renamed') return '';
  return t('changes.emptyFile');
}

function Lines({
  diff,
  split,
  current = -1,
  gone = 0,
  onCurrent = () => {},
  onDecide,
}: Omit<DiffPaneProps, 'file' | 'error' | 'diff' | 'spaceId'> & { diff: ChangeDiff }) {
  const list = useRef<VListHandle>(null);
  const [open, setOpen] = useState<ReadonlySet<number>>(new Set());
  const sides = useMemo(() => sidesOf(diff), [diff]);
  const rows = useMemo(() => rowsOf(sides, split, open), [sides, split, open]);
  const places = useMemo(() => {
    const found: number[] = [];
    rows.forEach((row, i) => {
      if (row.kind === 'hunk') found[row.hunk] = i;
    });
    return found;
  }, [rows]);
  const colours = useHighlighting(diff.path, sides);
  // Keeps the current hunk in view, including what is above it.
  const place = places[current] ?? 0;
  // biome-ignore lint/correctness/useExhaustiveDependencies: also scroll when going to the same hunk again
  useEffect(() => {
    const view = list.current;
    if (view === null) return;
    const top = view.getItemOffset(place);
    if (top < view.scrollOffset || top > view.scrollOffset + Math.max(view.viewportSize, 400) - 80) {
      view.scrollToIndex(Math.max(0, place - 3), { align: 'start' });
    }
  }, [place, gone]);
  const of = diff.hunks?.length ?? 0;
  return (
    <div className="change-lines" data-split={split || undefined}>
      <VList
        ref={list}
        className="change-list"
        data={rows}
        itemSize={20}
        bufferSize={400}
        // Focusable, so that keys scroll it.
        tabIndex={0}
        role="region"
        aria-label={t('changes.file', { path: oneLine(diff.path) })}
      >
        {(row, i) => (
          <DiffRow
            key={i}
            row={row}
            sides={sides}
            colours={colours}
            of={of}
            current={'hunk' in row && row.hunk === current}
            stuck={diff.stuck !== ''}
            onFold={(from) => setOpen(new Set([...open, from]))}
            onCurrent={onCurrent}
            {...(onDecide !== undefined && { onDecide })}
          />
        )}
      </VList>
    </div>
  );
}
