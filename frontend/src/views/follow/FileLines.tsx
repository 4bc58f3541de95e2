import { type CSSProperties, useEffect, useMemo, useRef } from 'react';
import { VList, type VListHandle } from 'virtua';
import { t } from '../../i18n';
import { LongPieces, type TextPiece } from '../../markdown';
import type { FileView } from '../../transport/api';
import { type Piece, useColours } from '../diff/colours';
import { lines as shownText } from '../parts/clean';
import { Lines } from '../parts/Lines';
import './follow.css';

/** Keys by which a user moves about in a file. */
const moves = ['ArrowUp', 'ArrowDown', 'PageUp', 'PageDown', 'Home', 'End'];

interface FileLinesProps {
  path: string;
  /** The lines that are marked; 0: none. */
  line: number;
  to: number;
  view: FileView;
  name: string;
  /** The marked lines are brought into view. */
  centered: boolean;
  /** The user looks around. */
  onLeave?(): void;
}

/** The lines of a file that were read, in its colors. */
export function FileLines({ path, line, to, view, name, centered, onLeave }: FileLinesProps) {
  const list = useRef<VListHandle>(null);
  const sides = useMemo(() => {
    const lines = view.text.split('\n');
    if (lines.at(-1) === '') lines.pop();
    return { old: [], new: lines };
  }, [view]);
  const colours = useColours(path, sides).new;
  const first = line - view.from;
  const last = Math.max(to, line) - view.from;
  // The marked lines are in view, with what is above it.
  useEffect(() => {
    const shown = list.current;
    if (shown === null || !centered || first < 0) return;
    const frame = requestAnimationFrame(() =>
      shown.scrollToIndex(Math.min(first, sides.new.length - 1), { align: 'center' }),
    );
    return () => cancelAnimationFrame(frame);
  }, [first, sides, centered]);
  return (
    <VList
      ref={list}
      className="follow-list"
      style={{ '--digits': String(view.from + view.lines).length } as CSSProperties}
      data={sides.new}
      itemSize={20}
      bufferSize={400}
      role="region"
      tabIndex={0}
      aria-label={t('follow.file', { path: name })}
      onWheel={onLeave}
      onTouchMove={onLeave}
      onPointerDown={(event) => {
        // On the bar that scrolls, not on the text.
        if (event.target instanceof Element && event.target.matches('.follow-list')) onLeave?.();
      }}
      onKeyDown={(event) => {
        if (moves.includes(event.key)) onLeave?.();
      }}
    >
      {(text, i) => (
        <div key={i} className="follow-line" data-at={(i >= first && i <= last && first >= 0) || undefined}>
          <span className="diff-number tabular" aria-hidden>
            {view.from + i}
          </span>
          <span className="follow-text">
            <Coloured text={text} pieces={colours[i]} />
          </span>
        </div>
      )}
    </VList>
  );
}

function Coloured({ text, pieces }: { text: string; pieces: readonly Piece[] | undefined }) {
  if (text === '') return ' ';
  if (pieces === undefined) return <Lines text={text.replace(/\r$/, '')} />;
  return <LongPieces pieces={pieces.map(drawn)} />;
}

function drawn([text, kind]: Piece): TextPiece {
  return { text: shownText(text), className: kind === undefined ? '' : `tok-${kind}` };
}
