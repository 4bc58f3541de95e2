/** Characters that are slow to draw or to break into lines in large numbers. */
export const SLOW_LETTERS = [
  // shape depends on the neighbors
  'x1 ',
  'a->',
  '1:2',
  '(A)',
  // joined letters
  '\u0628',
  '\u0628 ',
  '\u0627',
  '\u0915\u094d\u0937',
  '\u1000\u1039\u1000',
  // right-to-left, and bidirectional
  '\u05d0',
  'a\u05d0',
  'a \u05d0 ',
  '(\u05d0)',
  '\u2067a',
  '\u2067a\u2069',
  '\u202ba\u202c',
  // combining marks
  'e\u0301',
  '\u0301',
  `a${'\u0301'.repeat(20)}`,
  'a\ufe0f',
  '\u{e0061}',
  'a\u200d',
  '\u00ad',
  '\u1100\u1161',
  // without spaces (line breaks need a dictionary), or in several scripts
  '\u4e2d',
  '\u0e44\u0e17\u0e22',
  '\u1781\u17d2\u1798',
  'a\u0430\u03b1\u05d0\u4e2d',
  '\u{1d400}',
  '\u{1f1e9}\u{1f1ea}',
  // halves of a surrogate pair
  '\ud800',
  '\udc00',
] as const;
