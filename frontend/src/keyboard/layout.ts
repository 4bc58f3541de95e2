/** The parts of a keyboard event that identify the key. */
export interface Key {
  key: string;
  code?: string;
}

export interface Pressed extends Key {
  ctrlKey: boolean;
  metaKey: boolean;
  altKey: boolean;
  shiftKey: boolean;
}

/** Punctuation on a US keyboard, by physical key. */
const marks: Record<string, string> = {
  ...{ Comma: ',', Period: '.', Slash: '/', Semicolon: ';', Quote: "'" },
  ...{ Minus: '-', Equal: '=', BracketLeft: '[', BracketRight: ']', Backslash: '\\', Backquote: '`' },
};

/**
 * Returns the key as shortcuts name it, in lower case: the character that it types or, if that isn't ASCII (Russian,
 * Greek, Hebrew or Arabic keyboards), the character of the same physical key on a US keyboard.
 */
export function keyOf({ key, code = '' }: Key): string {
  // Some Arabic keys type two characters.
  const character = !/^[A-Z][a-zA-Z]+\d*$/.test(key);
  if ((character && isAscii(key)) || !(character || /^(Dead|Unidentified|Process)$/.test(key)))
    return key.toLowerCase();
  const place = /^(?:Key([A-Z])|Digit(\d))$/.exec(code);
  if (place !== null) return (place[1] ?? place[2] ?? '').toLowerCase();
  // Latin keyboards with more letters have the punctuation elsewhere.
  if (character && !/\p{Script=Latin}/u.test(key)) return marks[code] ?? key.toLowerCase();
  return key.toLowerCase();
}

/**
 * Returns the digit of a key, or null. French keyboards have "&" and "é" in place of 1 and 2, and Arabic and Hindi
 * keyboards have their own digits.
 */
export function digitOf({ key, code = '', shiftKey }: Key & { shiftKey: boolean }): number | null {
  if (/^\d$/.test(key)) return Number(key);
  const place = /^Digit(\d)$/.exec(code)?.[1];
  if (place === undefined) return null;
  return shiftKey && isAscii(key) ? null : Number(place);
}

export function isLetter(key: string): boolean {
  return /^[a-z]$/i.test(key);
}

function isAscii(key: string): boolean {
  return key >= ' ' && key <= '~';
}
