/** How many texts are kept besides a draft at most, and of how many characters altogether. */
const most = 10;
const longest = 1 << 20;

/** The texts that are kept besides a draft, with one more. The oldest go where there are too many. */
export function joined(aside: readonly string[], text: string): string[] {
  const out: string[] = [];
  let length = 0;
  for (const one of [text, ...aside.toReversed()]) {
    length += one.length;
    if (out.length === most || length > longest) break;
    out.unshift(one);
  }
  return out;
}

/** The same without one text: the last that is equal. */
export function without(aside: readonly string[], text: string): string[] {
  const at = aside.lastIndexOf(text);
  return aside.filter((_, i) => i !== at);
}
