import { type CSSProperties, useEffect, useMemo, useRef } from 'react';
import { VList, type VListHandle } from 'virtua';
import { t } from '../../i18n';
import { LongPieces, type TextPiece } from '../../markdown';
import type { FileView } from '../../transport/api';
import { type Piece, useHighlighting } from '../diff/highlighting';
import { lines as shownText } from '../parts/clean';
import { Lines } from '../parts/Lines';
import './follow.css';

/** Keys that move around in a file. */
const navigationKeys = ['ArrowUp', 'ArrowDown', 'PageUp', 'PageDown', 'Home', 'End'];

interface FileLinesProps {
  path: string;
  /** The highlighted lines; 0 for none. */
  line: number;
  to: number;
  view: FileView;
  name: string;
  /** Scroll to the highlighted lines. */
  centered: boolean;
  /** The user scrolls elsewhere. */
  onLeave?(): void;
}

/** The loaded lines of a file, with syntax highlighting. */
export function FileLines({ path, line, to, view, name, centered, onLeave }: FileLinesProps) {
  const list = useRef<VListHandle>(null);
  const sides = useMemo(() => {
    const lines = view.text.split('\n');
    if (lines.at(-1) === '') lines.pop();
    return { old: [], new: lines };
  }, [view]);
  const colours = useHighlighting(path, sides).new;
  const first = line - view.from;
  const last = Math.max(to, line) - view.from;
  // Keeps the highlighted lines in view, including what is above them.
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
        // A press on the scroll bar, not on the text.
        if (event.target instanceof Element && event.target.matches('.follow-list')) onLeave?.();
      }}
      onKeyDown={(event) => {
        if (navigationKeys.includes(event.key)) onLeave?.();
      }}
    >
      {(text, i) => (
        <div key={i} className="follow-line" data-at={(i >= first && i <= last && first >= 0) || undefined}>
          <span className="diff-number tabular" aria-hidden>
            {view.from + i}
          </span>
          <span className="follow-text">
            <HighlightedLines text={text} pieces={colours[i]} />
          </span>
        </div>
      )}
    </VList>
  );
}

function HighlightedLines({ text, pieces }: { text: string; pieces: readonly Piece[] | undefined }) {
  if (text === '') return ' ';
  if (pieces === undefined) return <Lines text={text.replace(/\r$/, '')} />;
  return <LongPieces pieces={pieces.map(drawn)} />;
}

function drawn([text, kind]: Piece): TextPiece {
  return { text: shownText(text), className: kind === undefined ? '' : `tok-${kind}` };
}
