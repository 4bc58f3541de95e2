import { useLayoutEffect, useRef } from 'react';
import { ChunkedText } from './chunkedText';
import { frameIsFull, noteDrawing } from './frameBudget';
import { inkOf, isOrdinary } from './ink';
import './markdown.css';

/** A text that is shorter is drawn as it is, unless its letters take long. In characters. */
const SHORT = 1000;
/** The same of a text in pieces, in their number. */
const FEW = 200;
/** Steps that may be taken to draw all of a text at once (see work.ts). */
const AT_ONCE = 300_000;

export interface TextPiece {
  readonly text: string;
  readonly className: string;
  /** Whether it is what was looked for. */
  readonly marked?: boolean;
}

/** Text of others, of any length, which is broken into lines. */
export function LongText({ text }: { readonly text: string }) {
  if (text.length <= SHORT && (isOrdinary(text) || inkOf(text) <= SHORT)) return text;
  return <Chunks pieces={[{ text, className: '' }]} />;
}

/** The same in pieces that look different. */
export function LongPieces({ pieces }: { readonly pieces: readonly TextPiece[] }) {
  if (pieces.length > FEW || pieces.reduce((sum, { text }) => sum + text.length, 0) > SHORT)
    return <Chunks pieces={pieces} />;
  return pieces.map(({ text, className, marked }, i) => {
    if (className === '') return text;
    const Piece = marked === true ? 'mark' : 'span';
    return (
      // biome-ignore lint/suspicious/noArrayIndexKey: the pieces are made again as a whole
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
    const more = drawn.current === undefined ? undefined : behind(drawn.current.pieces, pieces);
    let chunks = drawn.current?.chunks;
    if (chunks === undefined || more === undefined) {
      host.current.replaceChildren();
      host.current.removeAttribute('data-lazy');
      chunks = new ChunkedText(host.current, true);
    }
    for (const { text, className, marked } of more ?? pieces) chunks.append(text, className, marked);
    drawn.current = { chunks, pieces };
    const { drawing } = chunks;
    // Many texts take as long as a long one.
    if (drawing > AT_ONCE || frameIsFull()) host.current.setAttribute('data-lazy', '');
    else noteDrawing(drawing);
  });
  return <span ref={host} className="long-text" />;
}

/** What is added to pieces that are drawn; undefined where anything else has changed. */
function behind(drawn: readonly TextPiece[], pieces: readonly TextPiece[]): TextPiece[] | undefined {
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
