import { Dialog } from '@base-ui/react/dialog';
import { Columns2, Rows3, X } from 'lucide-react';
import { useMemo, useState } from 'react';
import { VList } from 'virtua';
import { t } from '../../i18n';
import { Counts, countsOf } from '../diff/Counts';
import { useHighlighting } from '../diff/highlighting';
import { PlainRow } from '../diff/PlainRow';
import { lineEndMatters, plainRowsOf, type Sides } from '../diff/rows';
import { Marked } from './ExactText';

interface FullDiffProps {
  open: boolean;
  path: string;
  sides: Sides;
  split: boolean;
  onSplit(): void;
  onClose(): void;
}

/** All changes of one file, in a dialog. */
export function FullDiff({ open, path, sides, split, onSplit, onClose }: FullDiffProps) {
  const layout = split ? t('changes.unified') : t('changes.sideBySide');
  return (
    <Dialog.Root open={open} onOpenChange={(next) => !next && onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="backdrop" />
        <Dialog.Popup className="dialog full-diff">
          <div className="dialog-head full-diff-head">
            <Dialog.Title className="dialog-title request-path mono">
              <Marked text={path} />
            </Dialog.Title>
            <Counts {...countsOf(sides)} />
            <span className="grow" />
            <button
              type="button"
              className="icon-button"
              aria-label={layout}
              title={layout}
              onClick={onSplit}
            >
              {split ? <Rows3 size={15} aria-hidden /> : <Columns2 size={15} aria-hidden />}
            </button>
            <Dialog.Close className="icon-button" aria-label={t('close')} title={t('close')}>
              <X size={16} aria-hidden />
            </Dialog.Close>
          </div>
          <Lines path={path} sides={sides} split={split} />
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

const itemSize = 20;

function Lines({ path, sides, split }: Pick<FullDiffProps, 'path' | 'sides' | 'split'>) {
  const [open, setOpen] = useState<ReadonlySet<number>>(new Set());
  const rows = useMemo(() => plainRowsOf(sides, split, open), [sides, split, open]);
  const colours = useHighlighting(path, sides);
  return (
    <div className="change-lines full-diff-lines">
      <VList
        className="change-list"
        // The scroller itself is focusable: keys do not scroll elements inside of the focused one.
        tabIndex={0}
        role="region"
        aria-label={t('diff.label')}
        data={rows}
        itemSize={itemSize}
      >
        {(row, i) => (
          <PlainRow
            key={i}
            row={row}
            sides={sides}
            highlighted={colours}
            most={Number.POSITIVE_INFINITY}
            ends={lineEndMatters(sides)}
            onFold={(from) => setOpen(new Set([...open, from]))}
          />
        )}
      </VList>
    </div>
  );
}
