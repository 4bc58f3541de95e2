/* Emoji that a joiner or a variation selector combines into one glyph: a family, a red heart. Characters that are
   usually invisible are visible in them. A joiner is between two pictographs, each with at most one selector and one
   skin tone. A letter is a pictograph only with a selector. */
const styledEmoji = String.raw`(?!\p{Cn}|\p{L}(?!\ufe0f))\p{Extended_Pictographic}(?:\ufe0f?\p{EMod}|\p{EMod}?\ufe0f)?`;
/** A selector turns a symbol into an emoji; after other emoji it is invisible. */
const sign = String.raw`(?!\p{Emoji_Presentation})(?=\p{Emoji})\p{Extended_Pictographic}\ufe0f`;

const exact = new RegExp(String.raw`${styledEmoji}(?:\u200d${styledEmoji})+|${sign}`, 'gu');
const prose = new RegExp(String.raw`${styledEmoji}(?:\u200d${styledEmoji})*`, 'gu');
const joins = /[\u200d\ufe0f]/;

/** Every position in a text that is inside such an emoji. In prose, an invisible selector does no harm. */
export function emojiPlaces(text: string, words = false): ReadonlySet<number> {
  const places = new Set<number>();
  if (!joins.test(text)) return places;
  for (const { 0: found, index } of text.matchAll(words ? prose : exact))
    for (let at = index; at < index + found.length; at++) places.add(at);
  return places;
}

/** Returns the position or, if it is inside such an emoji, its end. */
export function endOfEmoji(text: string, at: number): number {
  if (!joins.test(text)) return at;
  for (const { 0: found, index } of text.matchAll(exact)) {
    if (index >= at) break;
    if (at < index + found.length) return index + found.length;
  }
  return at;
}
