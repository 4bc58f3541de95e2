import { withoutAnsi } from '../parts/ansi';
import { lines } from '../parts/clean';

const shownLines = 8;
const shownLinks = 3;

/** The last lines that an agent has written, and the addresses in them, the last one first. Only web pages are addresses. */
export function readWords(text: string): { text: string; links: string[] } {
  const last = plain(text).split('\n').slice(-shownLines).join('\n').trim();
  const links = (last.match(/\bhttps?:\/\/[^\s"'<>`\\]+/gi) ?? [])
    .map((link) => trimmed(link))
    .filter(isAddress);
  return { text: last, links: [...new Set(links.reverse())].slice(0, shownLinks) };
}

/** Without what a terminal would do with it: colors, links under other words, lines that are written over. */
function plain(text: string): string {
  return lines(withoutAnsi(text.replace(/\r\n/g, '\n')).replace(/\r/g, '\n')).replace(/\n{2,}/g, '\n');
}

/** A sentence around an address isn't part of it. */
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
