/**
 * What a link or image address may be and how it is shown. Agent text is untrusted: an address is
 * never followed by the page itself, and it never looks like something that it is not.
 */

const OPENABLE = new Set(['http:', 'https:', 'mailto:']);
/** A place in a conversation: Weft itself goes there. */
const PLACE = /^weft:\/\/space\/[\w~%-]+(?:#[\w~%.-]*)?$/i;
/** An address with a scheme, as the parser of addresses finds it: it skips spaces before, and line ends and tabs anywhere. */
const HAS_SCHEME = /^[\0-\x20]*[a-z][\t\n\ra-z0-9+.-]*:/i;
const INLINE_IMAGE = /^data:image\/(?:png|jpeg|gif|webp);base64,[a-z0-9+/=]+$/i;
const BIDI = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** The largest data: image that may be shown in place, in characters of its address. */
export const INLINE_IMAGE_LIMIT = 2 * 1024 * 1024;

/** The absolute form of an address that may be handed to the system's browser, or is a place in Weft; or undefined. */
export function openableUrl(address: string): string | undefined {
  // An exception costs more than the rest of the parse of a link.
  if (!HAS_SCHEME.test(address)) return undefined;
  if (PLACE.test(address)) return address;
  try {
    const url = new URL(address);
    return OPENABLE.has(url.protocol) ? url.href : undefined;
  } catch {
    return undefined;
  }
}

/** True for a data: image that is small enough and of a kind that cannot carry script. */
export function isInlineImage(address: string): boolean {
  return address.length <= INLINE_IMAGE_LIMIT && INLINE_IMAGE.test(address);
}

/** Where an image would come from, in a word or two. */
export function imageHost(address: string): string {
  if (address.startsWith('data:')) return 'embedded';
  try {
    return new URL(address).host || address;
  } catch {
    return address;
  }
}

/**
 * Bidirectional control characters can make code and addresses read differently from what they are
 * (CVE-2021-42574), so they are written out, e.g. `\u202e`.
 */
export function escapeBidi(text: string): string {
  return text.replace(BIDI, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
