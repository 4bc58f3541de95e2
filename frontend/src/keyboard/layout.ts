/** What of a key press says which key it was. */
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

/** What keys that are not letters or digits write on an American keyboard, by their places. */
const marks: Record<string, string> = {
  ...{ Comma: ',', Period: '.', Slash: '/', Semicolon: ';', Quote: "'" },
  ...{ Minus: '-', Equal: '=', BracketLeft: '[', BracketRight: ']', Backslash: '\\', Backquote: '`' },
};

/**
 * The key as shortcuts name it, in lower case. It is what the key writes; where that is no character of ASCII, as on a
 * Russian, Greek, Hebrew or Arabic keyboard, it is what an American keyboard has in the same place.
 */
export function keyOf({ key, code = '' }: Key): string {
  // Some Arabic keys write two letters.
  const character = !/^[A-Z][a-zA-Z]+\d*$/.test(key);
  if ((character && isAscii(key)) || !(character || /^(Dead|Unidentified|Process)$/.test(key)))
    return key.toLowerCase();
  const place = /^(?:Key([A-Z])|Digit(\d))$/.exec(code);
  if (place !== null) return (place[1] ?? place[2] ?? '').toLowerCase();
  // A Latin keyboard with more letters has these marks elsewhere.
  if (character && !/\p{Script=Latin}/u.test(key)) return marks[code] ?? key.toLowerCase();
  return key.toLowerCase();
}

/**
 * The digit that a key stands for; null for none. A French keyboard has "&" and "é" where others have 1 and 2, and an Arabic
 * or Hindi one has digits of its own.
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
