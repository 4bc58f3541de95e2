/**
 * Finds links in plain text: addresses with a scheme. The library searches with expressions whose cost is quadratic, so
 * it only gets text that starts like an address, and no more than the length of an address.
 */
import type { MarkdownIt } from 'markdown-it';
import { spend } from './work';

/** The longest address that is linked automatically, in characters. */
const LONGEST = 1024;

const SCHEME = /(?:https?|ftp|weft):\/\/|mailto:/gi;
/** Characters that end an address. */
const END = /[\s<>]/;
/** Characters that may precede an address. */
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
    spend(2 * part.length); // it may scan more than the part that becomes the link
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
