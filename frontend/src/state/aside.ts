/** Limits for texts stored alongside a draft: their number, and their characters in total. */
const most = 10;
const longest = 1 << 20;

/** Adds a text to those stored alongside a draft. The oldest are dropped if there are too many. */
export function withText(aside: readonly string[], text: string): string[] {
  const out: string[] = [];
  let length = 0;
  for (const one of [text, ...aside.toReversed()]) {
    length += one.length;
    if (out.length === most || length > longest) break;
    out.unshift(one);
  }
  return out;
}

/** Removes a text: the last one that is equal. */
export function withoutText(aside: readonly string[], text: string): string[] {
  const at = aside.lastIndexOf(text);
  return aside.filter((_, i) => i !== at);
}
