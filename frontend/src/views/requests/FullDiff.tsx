import { Dialog } from '@base-ui/react/dialog';
import { Columns2, Rows3, X } from 'lucide-react';
import { useEffect, useMemo, useRef, useState } from 'react';
import { VList, type VListHandle } from 'virtua';
import { t } from '../../i18n';
import { Counts, countsOf } from '../diff/Counts';
import { useColours } from '../diff/colours';
import { PlainRow } from '../diff/PlainRow';
import { endsTold, rowsOf, type Sides } from '../diff/rows';
import { Marked } from './ExactText';

interface FullDiffProps {
  open: boolean;
  path: string;
  sides: Sides;
  split: boolean;
  onSplit(): void;
  onClose(): void;
  /** All of it has been in view. */
  onSeen(): void;
}

/** All that would change in one file, in a window of its own. */
export function FullDiff({ open, path, sides, split, onSplit, onClose, onSeen }: FullDiffProps) {
  const layout = split ? t('changes.unified') : t('changes.sideBySide');
  return (
    <Dialog.Root open={open} onOpenChange={(next) => !next && onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="veil" />
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
          <Lines path={path} sides={sides} split={split} onSeen={onSeen} />
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

const itemSize = 20;

function Lines({ path, sides, split, onSeen }: Pick<FullDiffProps, 'path' | 'sides' | 'split' | 'onSeen'>) {
  const [open, setOpen] = useState<ReadonlySet<number>>(new Set());
  const rows = useMemo(() => rowsOf(sides, split, open), [sides, split, open]);
  const colours = useColours(path, sides);
  const list = useRef<VListHandle>(null);
  // How far down it was in view, from the start on and without a gap.
  const reached = useRef({ of: rows, to: 0 });
  const look = () => {
    const view = list.current;
    if (view === null || view.viewportSize === 0) return;
    if (reached.current.of !== rows) reached.current = { of: rows, to: 0 };
    const { scrollOffset, viewportSize, scrollSize } = view;
    if (scrollOffset <= reached.current.to + 1)
      reached.current.to = Math.max(reached.current.to, scrollOffset + viewportSize);
    if (reached.current.to >= scrollSize - 1) onSeen();
  };
  const latest = useRef(look);
  latest.current = look;
  // What needs no scrolling is seen once it is laid out.
  useEffect(() => {
    const frame = requestAnimationFrame(() => requestAnimationFrame(() => latest.current()));
    return () => cancelAnimationFrame(frame);
  }, []);
  return (
    <div className="change-lines full-diff-lines">
      <VList
        ref={list}
        className="change-list"
        // What scrolls has the focus itself: keys do not scroll what is inside of the focused element.
        tabIndex={0}
        role="region"
        aria-label={t('diff.label')}
        data={rows}
        itemSize={itemSize}
        onScroll={look}
        onScrollEnd={look}
      >
        {(row, i) => (
          <PlainRow
            key={i}
            row={row}
            sides={sides}
            colours={colours}
            most={Number.POSITIVE_INFINITY}
            ends={endsTold(sides)}
            onFold={(from) => setOpen(new Set([...open, from]))}
          />
        )}
      </VList>
    </div>
  );
}
