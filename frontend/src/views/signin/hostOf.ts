/** Returns the host of a URL, or the text itself if it isn't one. */
export function hostOf(link: string): string {
  try {
    return new URL(link).host;
  } catch {
    return link;
  }
}
