import { currentLanguage } from '../../i18n';
import { translated } from '../../i18n/said';
import type { TextSegment } from '../../transcript/model';
import { GrowingText } from '../../transcript/text';

/** The author of Weft's notes in a conversation. Their texts are stored in English (decision 0061). */
const weftAuthor = 'app';

interface Written {
  language: string;
  length: number;
  text: GrowingText;
}

const known = new WeakMap<GrowingText, Written>();

/** Several notes in a row are one text with a paragraph each. */
const paragraphs = '\n\n';

/** Translates a text of several sentences by Weft, as far as they are known. */
export function translatedEach(text: string): string {
  const whole = translated(text);
  return whole === text && text.includes(paragraphs)
    ? text.split(paragraphs).map(translated).join(paragraphs)
    : whole;
}

/** The displayed text of a segment: Weft's notes are translated, everything else is unchanged. */
export function textShown({ author, text }: Pick<TextSegment, 'author' | 'text'>): GrowingText {
  const language = currentLanguage();
  if (author !== weftAuthor || language === 'en') return text;
  let written = known.get(text);
  if (written?.language !== language || written.length !== text.length) {
    written = { language, length: text.length, text: new GrowingText(translatedEach(text.toString())) };
    known.set(text, written);
  }
  return written.text;
}
