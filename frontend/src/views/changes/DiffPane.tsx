import { useEffect, useMemo, useRef, useState } from 'react';
import { VList, type VListHandle } from 'virtua';
import { t } from '../../i18n';
import { told } from '../../i18n/said';
import type { ChangeDiff, ChangedFile } from '../../transport/api';
import { useColours } from '../diff/colours';
import { rowsOf, sidesOf } from '../diff/rows';
import { oneLine } from '../parts/clean';
import { PlaceLink } from '../places/PlaceLink';
import { DiffRow } from './DiffRow';
import { noteOf } from './FileRow';
import type { Decision } from './useChanges';

interface DiffPaneProps {
  diff: ChangeDiff | null;
  /** The file as it is listed, where it is. */
  file?: ChangedFile;
  error: string;
  spaceId: string;
  split: boolean;
  /** The hunk that the keys are for. */
  current?: number;
  /** Counts how often a hunk was gone to. */
  gone?: number;
  onCurrent?(hunk: number): void;
  /** Without it there is nothing to decide. */
  onDecide?(decision: Decision, hunk: number): void;
}

/** What was changed in one file. */
export function DiffPane({ diff, file: listed, error, spaceId, ...rest }: DiffPaneProps) {
  if (error !== '') return <p className="change-say">{error}</p>;
  if (diff === null) return <p className="change-say quiet-text late">{t('loading')}</p>;
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
      {noteOf(file) !== '' && <p className="change-say">{noteOf(file)}</p>}
      {diff.stuck !== '' && <p className="change-say">{told(diff.stuck)}</p>}
      {diff.odd && <p className="change-say">{t('changes.odd')}</p>}
      {diff.changed && <p className="change-say">{t('changes.changedSinceNote')}</p>}
      {reason !== '' && <p className="change-say">{reason}</p>}
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
  const colours = useColours(diff.path, sides);
  // The hunk that the keys are for is in view, with what is above it.
  const place = places[current] ?? 0;
  // biome-ignore lint/correctness/useExhaustiveDependencies: to go to the same hunk again shows it again
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
        // What scrolls has the focus, so that keys scroll it.
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
