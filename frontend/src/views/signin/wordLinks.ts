import { withoutAnsi } from '../parts/ansi';
import { lines } from '../parts/clean';

const shownLines = 8;
const shownLinks = 3;

/** Extracts the last lines of an agent's output and the links in them, last one first. Only http(s) links count. */
export function readOutput(text: string): { text: string; links: string[] } {
  const last = plain(text).split('\n').slice(-shownLines).join('\n').trim();
  const links = (last.match(/\bhttps?:\/\/[^\s"'<>`\\]+/gi) ?? [])
    .map((link) => trimmed(link))
    .filter(isAddress);
  return { text: last, links: [...new Set(links.reverse())].slice(0, shownLinks) };
}

/** Removes what a terminal would interpret: colors, hyperlinks, overwritten lines. */
function plain(text: string): string {
  return lines(withoutAnsi(text.replace(/\r\n/g, '\n')).replace(/\r/g, '\n')).replace(/\n{2,}/g, '\n');
}

/** Removes punctuation around a URL. */
function trimmed(link: string): string {
  const end = link.replace(/[.,;:!?…]+$/, '');
  for (const [open = '', close = ''] of ['()', '[]', '{}']) {
    if (end.endsWith(close) && end.split(close).length > end.split(open).length)
      return trimmed(end.slice(0, -1));
  }
  return end;
}

function isAddress(link: string): boolean {
  try {
    const { protocol, hostname, username } = new URL(link);
    return (protocol === 'https:' || protocol === 'http:') && hostname !== '' && username === '';
  } catch {
    return false;
  }
}
