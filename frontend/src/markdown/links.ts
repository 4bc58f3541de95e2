/**
 * Decides which link and image addresses are allowed and how they are shown. Text from agents is untrusted: the page
 * itself never follows an address, and an address must not look like something else.
 */

const OPENABLE = new Set(['http:', 'https:', 'mailto:']);
/** A location in a conversation, which Weft opens itself. */
const PLACE = /^weft:\/\/space\/[\w~%-]+(?:#[\w~%.-]*)?$/i;
/** An address with a scheme, as the URL parser reads it: it skips leading spaces, and line ends and tabs anywhere. */
const HAS_SCHEME = /^[\0-\x20]*[a-z][\t\n\ra-z0-9+.-]*:/i;
const INLINE_IMAGE = /^data:image\/(?:png|jpeg|gif|webp);base64,[a-z0-9+/=]+$/i;
const BIDI = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** The largest data: image that may be shown inline, in characters of its address. */
export const INLINE_IMAGE_LIMIT = 2 * 1024 * 1024;

/**
 * Returns the absolute form of an address that may be passed to the system browser or is a location in Weft, otherwise
 * undefined.
 */
export function openableUrl(address: string): string | undefined {
  // An exception costs more than the rest of parsing a link.
  if (!HAS_SCHEME.test(address)) return undefined;
  if (PLACE.test(address)) return address;
  try {
    const url = new URL(address);
    return OPENABLE.has(url.protocol) ? url.href : undefined;
  } catch {
    return undefined;
  }
}

/** Reports whether it is a data: image that is small enough and of a type that cannot contain script. */
export function isInlineImage(address: string): boolean {
  return address.length <= INLINE_IMAGE_LIMIT && INLINE_IMAGE.test(address);
}

/** Returns the origin of an image in a word or two. */
export function imageHost(address: string): string {
  if (address.startsWith('data:')) return 'embedded';
  try {
    return new URL(address).host || address;
  } catch {
    return address;
  }
}

/**
 * Makes bidirectional control characters visible (e.g. as `\u202e`), because they can make code and addresses look
 * different from what they are (CVE-2021-42574).
 */
export function escapeBidi(text: string): string {
  return text.replace(BIDI, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
