import type { SnippetPiece } from '../../transport/api';
import { lines, oneLine } from '../parts/clean';

/** A text in which what was looked for is marked, on one line unless `whole`. */
export function Pieces({ of, whole = false }: { of: readonly SnippetPiece[]; whole?: boolean }) {
  const clean = whole ? lines : oneLine;
  return of.map(({ text, hit }, i) =>
    hit === true ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: the pieces are replaced as a whole
      <mark key={i} className="search-mark">
        {clean(text)}
      </mark>
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: the pieces are replaced as a whole
      <span key={i}>{clean(text)}</span>
    ),
  );
}
