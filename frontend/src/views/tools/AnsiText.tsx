import { useLayoutEffect, useMemo, useRef } from 'react';
import { t } from '../../i18n';
import { LongPieces, type TextPiece } from '../../markdown';
import { lines } from '../parts/clean';
import { bytes } from '../parts/numbers';
import { screenPieces } from '../parts/screenText';
import { fromLine } from '../parts/tail';

/** Longer text is not colored and not rendered at once: its end is shown. */
const longest = 64 << 10;

interface AnsiTextProps {
  text: string;
  /** The end stays in view while it grows. */
  live?: boolean;
  /** The end is initially in view. */
  atEnd?: boolean;
  most?: number;
}

/** Terminal or tool output, as a terminal shows it. */
export function AnsiText({ text, live = false, atEnd = false, most = longest }: AnsiTextProps) {
  const cut = text.length > most ? fromLine(text.slice(-most)) : text;
  const pieces = useMemo(() => parse(cut), [cut]);
  const box = useRef<HTMLPreElement>(null);
  useLayoutEffect(() => {
    if (live && box.current !== null && pieces.length > 0) box.current.scrollTop = box.current.scrollHeight;
  }, [live, pieces]);
  useLayoutEffect(() => {
    if (atEnd && box.current !== null) box.current.scrollTop = box.current.scrollHeight;
  }, [atEnd]);
  return (
    <>
      {cut.length < text.length && (
        <p className="quiet-text">
          {t('tool.outputCut', { shown: bytes(cut.length), all: bytes(text.length) })}
        </p>
      )}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by keyboard */}
      <pre ref={box} className="code-box ansi" tabIndex={0}>
        {pieces.length === 0 ? (
          <span className="quiet-text">{t('tool.noOutput')}</span>
        ) : (
          <LongPieces pieces={pieces} />
        )}
      </pre>
    </>
  );
}

function parse(text: string): TextPiece[] {
  return screenPieces(text).map(({ text: piece, className }) => ({ text: lines(piece), className }));
}
