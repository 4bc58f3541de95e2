import { LongPieces, type TextPiece } from '../../markdown';
import type { SnippetPiece } from '../../transport/api';
import { lines, oneLine } from '../parts/clean';

/** A text with matches marked, on one line unless `whole`. */
export function Pieces({ of, whole = false }: { of: readonly SnippetPiece[]; whole?: boolean }) {
  if (whole) return <LongPieces pieces={of.map(drawn)} />;
  return of.map(({ text, hit }, i) =>
    hit === true ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: the pieces are replaced as a whole
      <mark key={i} className="search-match-mark">
        {oneLine(text)}
      </mark>
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: the pieces are replaced as a whole
      <span key={i}>{oneLine(text)}</span>
    ),
  );
}

function drawn({ text, hit }: SnippetPiece): TextPiece {
  const marked = hit === true;
  return { text: lines(text), className: marked ? 'search-match-mark' : '', marked };
}
