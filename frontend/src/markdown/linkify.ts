/**
 * Links in plain text: addresses with a scheme. The library searches a text with expressions whose cost grows with its square, so that it
 * is only asked about what begins like an address, and no further than an address is long.
 */
import type { MarkdownIt } from 'markdown-it';
import { spend } from './work';

/** The longest address that becomes a link by itself, in characters. */
const LONGEST = 1024;

const SCHEME = /(?:https?|ftp|weft):\/\/|mailto:/gi;
/** What no address has in it. */
const END = /[\s<>]/;
/** What may be before an address. */
const BOUNDARY = /[\s\p{P}\p{Z}\p{Cc}<>|｜]/u;

/** Steps of a link: its address is read twice, and its element has an address and a title. */
const LINK = 200;

export function boundedLinks(md: MarkdownIt) {
  const { linkify } = md;
  const normalizeLink = md.normalizeLink.bind(md);
  md.normalizeLink = (url) => {
    spend(LINK + url.length / 4);
    return normalizeLink(url);
  };
  const atStart = linkify.matchAtStart.bind(linkify);
  linkify.matchAtStart = (text) => {
    const part = text.slice(0, LONGEST + 1).split(END, 1)[0] ?? '';
    spend(2 * part.length); // it may be looked at for more than what becomes the link
    const found = atStart(part);
    return found !== null && found.lastIndex > LONGEST ? null : found;
  };
  linkify.test = (text) => text.search(SCHEME) >= 0;
  linkify.match = (text) => {
    const links: NonNullable<ReturnType<typeof atStart>>[] = [];
    const search = new RegExp(SCHEME);
    for (let at = search.exec(text); at !== null; at = search.exec(text)) {
      const before = text.charAt(at.index - 1);
      if (before === '_' || (before !== '' && !BOUNDARY.test(before))) continue;
      const link = linkify.matchAtStart(text.slice(at.index, at.index + LONGEST + 1));
      if (link === null) continue;
      link.index += at.index;
      link.lastIndex += at.index;
      links.push(link);
      search.lastIndex = link.lastIndex;
    }
    return links;
  };
}
