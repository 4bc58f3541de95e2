import { useLayoutEffect, useRef } from 'react';
import { ChunkedText } from './chunkedText';
import { drawingCostOf, isOrdinary } from './drawingCost';
import { chargeDrawing, frameIsFull } from './frameBudget';
import './markdown.css';

/** A shorter text is rendered as is unless its script is slow to draw. In characters. */
const SHORT = 1000;
/** The same for a text in pieces: their number. */
const FEW = 200;
/** Steps up to which the whole text is drawn at once (see work.ts). */
const AT_ONCE = 300_000;

export interface TextPiece {
  readonly text: string;
  readonly className: string;
  /** Whether it is a search match. */
  readonly marked?: boolean;
}

/** A text of any length from outside Weft, wrapped into lines. */
export function LongText({ text }: { readonly text: string }) {
  if (text.length <= SHORT && (isOrdinary(text) || drawingCostOf(text) <= SHORT)) return text;
  return <Chunks pieces={[{ text, className: '' }]} />;
}

/** A long text in pieces with different styles. */
export function LongPieces({ pieces }: { readonly pieces: readonly TextPiece[] }) {
  if (pieces.length > FEW || pieces.reduce((sum, { text }) => sum + text.length, 0) > SHORT)
    return <Chunks pieces={pieces} />;
  return pieces.map(({ text, className, marked }, i) => {
    if (className === '') return text;
    const Piece = marked === true ? 'mark' : 'span';
    return (
      // biome-ignore lint/suspicious/noArrayIndexKey: the pieces are recreated together
      <Piece key={i} className={className}>
        {text}
      </Piece>
    );
  });
}

function Chunks({ pieces }: { readonly pieces: readonly TextPiece[] }) {
  const host = useRef<HTMLSpanElement>(null);
  const drawn = useRef<{ readonly chunks: ChunkedText; readonly pieces: readonly TextPiece[] }>(undefined);
  useLayoutEffect(() => {
    if (host.current === null) return;
    const more = drawn.current === undefined ? undefined : addedPieces(drawn.current.pieces, pieces);
    let chunks = drawn.current?.chunks;
    if (chunks === undefined || more === undefined) {
      host.current.replaceChildren();
      host.current.removeAttribute('data-lazy');
      chunks = new ChunkedText(host.current, true);
    }
    for (const { text, className, marked } of more ?? pieces) chunks.append(text, className, marked);
    drawn.current = { chunks, pieces };
    const { drawing } = chunks;
    // Many texts take as long as a single long one.
    if (drawing > AT_ONCE || frameIsFull()) host.current.setAttribute('data-lazy', '');
    else chargeDrawing(drawing);
  });
  return <span ref={host} className="long-text" />;
}

/** Returns the pieces that follow those already drawn, or undefined if anything else changed. */
function addedPieces(drawn: readonly TextPiece[], pieces: readonly TextPiece[]): TextPiece[] | undefined {
  const last = drawn.length - 1;
  for (const [i, { text, className, marked }] of drawn.entries()) {
    const now = pieces[i];
    if (now?.className !== className || now.marked !== marked) return undefined;
    if (i < last ? now.text !== text : !now.text.startsWith(text)) return undefined;
  }
  const grown = pieces[last];
  const rest = grown && { ...grown, text: grown.text.slice(drawn[last]?.text.length) };
  return [...(rest === undefined ? [] : [rest]), ...pieces.slice(drawn.length)];
}
