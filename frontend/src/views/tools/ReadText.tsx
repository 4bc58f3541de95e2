import { type CSSProperties, memo, useMemo } from 'react';
import { LongPieces } from '../../markdown';
import { type Piece, useHighlighting } from '../diff/highlighting';
import { lines as shownText } from '../parts/clean';
import { Lines } from '../parts/Lines';
import { AnsiText } from './AnsiText';
import { readLines, unwrappedResult } from './output';

interface ReadTextProps {
  text: string;
  /** The file, for highlighting. */
  path: string;
  whole?: boolean;
}

/** File contents as an agent read them, highlighted and without the agent's wrapping. */
export function ReadText({ text, path, whole = true }: ReadTextProps) {
  const read = useMemo(() => readLines(unwrappedResult(text, whole)), [text, whole]);
  const sides = useMemo(() => ({ old: [], new: read.lines }), [read]);
  const colours = useHighlighting(path, sides).new;
  const { lines, from } = read;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: colors of a terminal begin with one
  if (lines.length === 0 || /\u001b/.test(text)) return <AnsiText text={lines.join('\n')} />;
  const digits = from === undefined ? 0 : String(from + lines.length).length;
  return (
    <pre
      className="code-box read-lines"
      data-numbered={from !== undefined || undefined}
      style={{ '--digits': String(digits) } as CSSProperties}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by keyboard
      tabIndex={0}
    >
      {lines.map((line, i) => (
        <Line
          // biome-ignore lint/suspicious/noArrayIndexKey: the lines of a text stay in their order
          key={i}
          text={line}
          number={from === undefined ? undefined : from + i}
          pieces={colours[i]}
        />
      ))}
    </pre>
  );
}

interface LineProps {
  text: string;
  number: number | undefined;
  pieces: readonly Piece[] | undefined;
}

const Line = memo(function Line({ text, number, pieces }: LineProps) {
  return (
    <span className="read-line">
      {number !== undefined && <span className="diff-number tabular" aria-hidden data-number={number} />}
      <span className="read-text">
        {pieces === undefined ? (
          <Lines text={text.replace(/\r$/, '')} />
        ) : (
          <LongPieces
            pieces={pieces.map(([piece, kind]) => ({
              text: shownText(piece),
              className: kind === undefined ? '' : `tok-${kind}`,
            }))}
          />
        )}
        {'\n'}
      </span>
    </span>
  );
});
