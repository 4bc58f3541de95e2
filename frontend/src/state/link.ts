import type { SpacePlace } from '../transport/api';

// Links to places in conversations, and the same as the address of a page. backend/link reads and writes the links, too; both are
// held to its testdata.

/** A place in a space; null for the whole space. */
export interface Linked {
  readonly spaceId: string;
  readonly place: SpacePlace | null;
}

/** The place of a whole message. */
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

/** Whether a text looks like a link of Weft, correct or not. */
export function isLink(text: string): boolean {
  return /^\s*weft:/i.test(text);
}

/** Reads a link; null for one that is none. */
export function readLink(text: string): Linked | null {
  const link = text.trim();
  if (link.length > longest || link.slice(0, prefix.length).toLowerCase() !== prefix) return null;
  const rest = link.slice(prefix.length);
  const cut = rest.indexOf('#');
  const spaceId = read((cut < 0 ? rest : rest.slice(0, cut)).replace(/\/$/, ''));
  return spaceId === null ? null : linked(spaceId, cut < 0 ? '' : rest.slice(cut + 1));
}

const addressed = '#/space/';

/** The address of a page that shows a place. */
export function addressTo(spaceId: string, place: SpacePlace | null = null): string {
  return addressed + written(spaceId) + (place === null ? '' : `/${placed(place)}`);
}

/** Reads an address; null for one of something else. */
export function readAddress(hash: string): Linked | null {
  if (hash.length > longest || !hash.startsWith(addressed)) return null;
  const [space = '', at = '', ...more] = hash.slice(addressed.length).split('/');
  const spaceId = read(space);
  return spaceId === null || more.length > 0 ? null : linked(spaceId, at);
}

/** Reads the address of a new space in a folder, as weft open prints it; null for one of something else. */
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

/** An id, percent-encoded except for letters and digits of ASCII, "_", "-" and "~". */
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
