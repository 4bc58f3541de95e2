/*
 * Emoji that a joiner or a variation selector makes into one glyph: a family, a red heart. What is invisible elsewhere is seen
 * in them. A joiner is between two pictographs, each with one selector and one tone of skin at most. A letter is a pictograph
 * only with a selector.
 */
const dressed = String.raw`(?!\p{Cn}|\p{L}(?!\ufe0f))\p{Extended_Pictographic}(?:\ufe0f?\p{EMod}|\p{EMod}?\ufe0f)?`;
/** A selector makes an emoji of what is a sign without it; behind other emoji it isn't seen. */
const sign = String.raw`(?!\p{Emoji_Presentation})(?=\p{Emoji})\p{Extended_Pictographic}\ufe0f`;

const exact = new RegExp(String.raw`${dressed}(?:\u200d${dressed})+|${sign}`, 'gu');
const prose = new RegExp(String.raw`${dressed}(?:\u200d${dressed})*`, 'gu');
const joins = /[\u200d\ufe0f]/;

/** Every place in a text that is inside of such an emoji. In prose a selector that isn't seen does no harm. */
export function emojiPlaces(text: string, words = false): ReadonlySet<number> {
  const places = new Set<number>();
  if (!joins.test(text)) return places;
  for (const { 0: found, index } of text.matchAll(words ? prose : exact))
    for (let at = index; at < index + found.length; at++) places.add(at);
  return places;
}

/** The place itself or, where a cut there would take such an emoji apart, its end. */
export function pastEmoji(text: string, at: number): number {
  if (!joins.test(text)) return at;
  for (const { 0: found, index } of text.matchAll(exact)) {
    if (index >= at) break;
    if (at < index + found.length) return index + found.length;
  }
  return at;
}
