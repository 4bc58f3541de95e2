import { memo } from 'react';
import { t } from '../../i18n';
import { isOrdinary } from '../../markdown/ink';
import { type Stretch, stretches } from '../parts/exact';
import { count } from '../parts/numbers';

/** Characters of a piece: what has been in view is known piece by piece. */
const piece = 160;
const mostLines = 400;
const mostChars = 32 << 10;
/** The same where its letters take longer to draw. */
const mostSlowChars = 8 << 10;
/** Elements that a text is drawn as. */
const mostPieces = 2000;
/** Those that a line may have in any case. */
const fewPieces = 8;

interface ExactTextProps {
  text: string;
  /** All of it is drawn, however long it is. */
  all?: boolean;
  sign?: string;
}

/** A text that acts, every character of it as what it is; its end is counted where it is too long to be drawn at once. */
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

/** The elements of a line, of which there are few for the number of its stretches. */
function pieces(line: string, n: number, most: number): React.ReactNode[] {
  const out: React.ReactNode[] = [];
  // The line as a whole says which of its characters are odd, before it is cut.
  for (const { text, odd } of together(stretches(line, true), most)) {
    for (let at = 0; at < text.length; ) {
      let end = Math.min(text.length, at + piece);
      // A character of two units stays whole.
      if (/[\ud800-\udbff]/.test(text[end - 1] ?? '')) end = Math.min(text.length, end + 1);
      const key = `${n}:${out.length}`;
      const facts = { 'data-chars': end - at, 'data-lines': out.length === 0 ? 1 : 0 };
      const part = text.slice(at, end);
      out.push(
        odd ? (
          <mark key={key} className="odd" title={t('request.odd')} {...facts}>
            {part}
          </mark>
        ) : (
          <span key={key} {...facts}>
            {part}
          </span>
        ),
      );
      at = end;
      // The browser reads no more than a piece in one go.
      if (at < text.length) out.push(<wbr key={`${key}-`} />);
    }
  }
  return out.length > 0 ? out : [<span key={`${n}:0`} data-chars={0} data-lines={1} />];
}

/** At most so many stretches: neighbors are one, which is odd if any of them is. */
function together(all: readonly Stretch[], most: number): readonly Stretch[] {
  if (all.length <= most) return all;
  const size = Math.ceil(all.length / most);
  const out: Stretch[] = [];
  for (let i = 0; i < all.length; i += size) {
    const some = all.slice(i, i + size);
    out.push({ text: some.map(({ text }) => text).join(''), odd: some.some(({ odd }) => odd) });
  }
  return out;
}

/** A short text, its odd characters marked; words are the agent's prose. */
export function Marked({ text, words: prose = false }: { text: string; words?: boolean }) {
  return stretches(text, prose, prose).map(({ text: words, odd }, i) =>
    odd ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: the stretches are made again as a whole
      <mark key={i} className="odd" title={t('request.odd')}>
        {words}
      </mark>
    ) : (
      words
    ),
  );
}
