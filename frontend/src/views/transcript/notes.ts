import { spoken } from '../../i18n';
import { told } from '../../i18n/said';
import type { TextSegment } from '../../transcript/model';
import { GrowingText } from '../../transcript/text';

/** The author of Weft's notes in a conversation. Their texts are stored in English (decision 0061). */
const weftItself = 'app';

interface Written {
  language: string;
  length: number;
  text: GrowingText;
}

const known = new WeakMap<GrowingText, Written>();

/** Several notes in a row are one text, a paragraph each. */
const paragraphs = '\n\n';

/** A text of several sentences of Weft in the language that is chosen, each that is known in it. */
export function toldEach(text: string): string {
  const whole = told(text);
  return whole === text && text.includes(paragraphs)
    ? text.split(paragraphs).map(told).join(paragraphs)
    : whole;
}

/** The text of a segment as it is shown: what Weft notes is in the language of the window, everything else as it was written. */
export function textShown({ author, text }: Pick<TextSegment, 'author' | 'text'>): GrowingText {
  const language = spoken();
  if (author !== weftItself || language === 'en') return text;
  let written = known.get(text);
  if (written?.language !== language || written.length !== text.length) {
    written = { language, length: text.length, text: new GrowingText(toldEach(text.toString())) };
    known.set(text, written);
  }
  return written.text;
}
