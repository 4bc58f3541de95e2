import { memo } from 'react';
import { t } from '../../i18n';
import { isOrdinary } from '../../markdown/drawingCost';
import { type Span, spansOf } from '../parts/exact';
import { count } from '../parts/numbers';

/** Characters per piece: what has been visible is tracked piece by piece. */
const piece = 160;
const mostLines = 400;
const mostChars = 32 << 10;
/** The limit for text in scripts that are slow to draw. */
const mostSlowChars = 8 << 10;
/** Most elements for a text. */
const mostPieces = 2000;
/** Minimum number of elements for each line. */
const fewPieces = 8;

interface ExactTextProps {
  text: string;
  /** Render all of it, however long. */
  all?: boolean;
  sign?: string;
}

/**
 * Text of a command or argument, with every character shown unambiguously; if it is too long to be rendered at once,
 * the rest is counted.
 */
export const ExactText = memo(function ExactText({ text, all = false, sign = '' }: ExactTextProps) {
  const lines = text.replace(/\r\n/g, '\n').replace(/\n$/, '').split('\n');
  const out: React.ReactNode[] = [];
  let left = all ? Number.POSITIVE_INFINITY : isOrdinary(text) ? mostChars : mostSlowChars;
  const each = Math.max(fewPieces, Math.floor(mostPieces / lines.length));
  let shown = 0;
  let hidden = 0;
  for (const line of lines) {
    const fits = shown < mostLines || all;
    const end = fits ? Math.min(line.length, Math.max(0, left)) : 0;
    if (!fits || (end === 0 && line !== '')) {
      hidden += line.length;
      continue;
    }
    if (shown > 0) out.push('\n');
    out.push(...pieces(line.slice(0, end), shown, each));
    left -= end;
    hidden += line.length - end;
    shown++;
  }
  return (
    <>
      {sign !== '' && (
        <span className="command-sign" aria-hidden>
          {sign}{' '}
        </span>
      )}
      {out}
      {(shown < lines.length || hidden > 0) && (
        <span className="request-cut" data-chars={hidden} data-lines={lines.length - shown} data-shut="">
          {'\n'}
          {t('request.cut', { n: count(lines.length - shown), chars: count(hidden) })}
        </span>
      )}
    </>
  );
});

/** The elements of a line, limited regardless of the number of its parts. */
function pieces(line: string, n: number, most: number): React.ReactNode[] {
  const out: React.ReactNode[] = [];
  // Unusual characters depend on the whole line, so they are determined before splitting it.
  for (const { text, odd } of merged(spansOf(line, true), most)) {
    for (let at = 0; at < text.length; ) {
      let end = Math.min(text.length, at + piece);
      // Don't split surrogate pairs.
      if (/[\ud800-\udbff]/.test(text[end - 1] ?? '')) end = Math.min(text.length, end + 1);
      const key = `${n}:${out.length}`;
      const facts = { 'data-chars': end - at, 'data-lines': out.length === 0 ? 1 : 0 };
      const part = text.slice(at, end);
      out.push(
        odd ? (
          <mark key={key} className="unusual" title={t('request.odd')} {...facts}>
            {part}
          </mark>
        ) : (
          <span key={key} {...facts}>
            {part}
          </span>
        ),
      );
      at = end;
      // Limits how much the browser shapes at once.
      if (at < text.length) out.push(<wbr key={`${key}-`} />);
    }
  }
  return out.length > 0 ? out : [<span key={`${n}:0`} data-chars={0} data-lines={1} />];
}

/** Merges parts down to a maximum; a merged part is unusual if any of its parts is. */
function merged(all: readonly Span[], most: number): readonly Span[] {
  if (all.length <= most) return all;
  const size = Math.ceil(all.length / most);
  const out: Span[] = [];
  for (let i = 0; i < all.length; i += size) {
    const some = all.slice(i, i + size);
    out.push({ text: some.map(({ text }) => text).join(''), odd: some.some(({ odd }) => odd) });
  }
  return out;
}

/** A short text with its unusual characters marked; with `words`, it is prose of the agent. */
export function Marked({ text, words: prose = false }: { text: string; words?: boolean }) {
  return spansOf(text, prose, prose).map(({ text: words, odd }, i) =>
    odd ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts are recreated together
      <mark key={i} className="unusual" title={t('request.odd')}>
        {words}
      </mark>
    ) : (
      words
    ),
  );
}
