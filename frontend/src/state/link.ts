import type { SpacePlace } from '../transport/api';

// Links to locations in conversations, and the same as page addresses. backend/base/link reads and writes these links too;
// its testdata verifies both.

/** A location in a space; null for the whole space. */
export interface Linked {
  readonly spaceId: string;
  readonly place: SpacePlace | null;
}

/** The location of a whole message. */
export function messagePlace(messageId: string): SpacePlace {
  return { messageId, segment: -1, item: -1 };
}

export function samePlace(a: SpacePlace, b: SpacePlace): boolean {
  return a.messageId === b.messageId && a.segment === b.segment && a.item === b.item;
}

const prefix = 'weft://space/';
const longest = 2048;
const longestId = 256;
const mostIndex = 2 ** 31 - 1;

export function linkTo(spaceId: string, place: SpacePlace | null = null): string {
  return prefix + written(spaceId) + (place === null ? '' : `#${placed(place)}`);
}

/** Reports whether a text looks like a Weft link, valid or not. */
export function isLink(text: string): boolean {
  return /^\s*weft:/i.test(text);
}

/** Parses a link; null if it is not valid. */
export function readLink(text: string): Linked | null {
  const link = text.trim();
  if (link.length > longest || link.slice(0, prefix.length).toLowerCase() !== prefix) return null;
  const rest = link.slice(prefix.length);
  const cut = rest.indexOf('#');
  const spaceId = read((cut < 0 ? rest : rest.slice(0, cut)).replace(/\/$/, ''));
  return spaceId === null ? null : linked(spaceId, cut < 0 ? '' : rest.slice(cut + 1));
}

const addressed = '#/space/';

/** The page address of a location. */
export function addressTo(spaceId: string, place: SpacePlace | null = null): string {
  return addressed + written(spaceId) + (place === null ? '' : `/${placed(place)}`);
}

/** Parses a page address; null if it is something else. */
export function readAddress(hash: string): Linked | null {
  if (hash.length > longest || !hash.startsWith(addressed)) return null;
  const [space = '', at = '', ...more] = hash.slice(addressed.length).split('/');
  const spaceId = read(space);
  return spaceId === null || more.length > 0 ? null : linked(spaceId, at);
}

/** Parses the address of a new space in a folder, as printed by weft open; null if it is something else. */
export function readNewSpace(hash: string): string | null {
  const prefix = '#/new/';
  if (!hash.startsWith(prefix) || hash.length > 8 * longest) return null;
  try {
    return decodeURIComponent(hash.slice(prefix.length)) || null;
  } catch {
    return null;
  }
}

function linked(spaceId: string, at: string): Linked | null {
  if (at === '') return { spaceId, place: null };
  const [message = '', ...indices] = at.split('.');
  const messageId = read(message);
  const [segment, item] = indices.map(index);
  if (messageId === null || indices.length > 2 || segment === null || item === null) return null;
  return { spaceId, place: { messageId, segment: segment ?? -1, item: item ?? -1 } };
}

function placed({ messageId, segment, item }: SpacePlace): string {
  const at = segment < 0 ? '' : item < 0 ? `.${segment}` : `.${segment}.${item}`;
  return written(messageId) + at;
}

function index(text: string): number | null {
  const n = /^(?:0|[1-9]\d{0,9})$/.test(text) ? Number(text) : Number.NaN;
  return n <= mostIndex ? n : null;
}

/** An id, percent-encoded except for ASCII letters and digits, "_", "-" and "~". */
function written(id: string): string {
  return encodeURIComponent(id).replace(
    /[.!*'()]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
  );
}

function read(text: string): string | null {
  if (!/^(?:[\w~-]|%[\da-f]{2})+$/i.test(text)) return null;
  try {
    const id = decodeURIComponent(text);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: ids have none
    return new TextEncoder().encode(id).length > longestId || /[\0-\x1f\x7f]/.test(id) ? null : id;
  } catch {
    return null;
  }
}
