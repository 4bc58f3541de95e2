/** Letters that are slow to draw, or to break into lines, where there are many of them. */
export const SLOW_LETTERS = [
  // drawn otherwise by what is beside them
  'x1 ',
  'a->',
  '1:2',
  '(A)',
  // joined
  '\u0628',
  '\u0628 ',
  '\u0627',
  '\u0915\u094d\u0937',
  '\u1000\u1039\u1000',
  // from the right, and from both sides
  '\u05d0',
  'a\u05d0',
  'a \u05d0 ',
  '(\u05d0)',
  '\u2067a',
  '\u2067a\u2069',
  '\u202ba\u202c',
  // over each other
  'e\u0301',
  '\u0301',
  `a${'\u0301'.repeat(20)}`,
  'a\ufe0f',
  '\u{e0061}',
  'a\u200d',
  '\u00ad',
  '\u1100\u1161',
  // without spaces, with a dictionary for where they break, or of several alphabets
  '\u4e2d',
  '\u0e44\u0e17\u0e22',
  '\u1781\u17d2\u1798',
  'a\u0430\u03b1\u05d0\u4e2d',
  '\u{1d400}',
  '\u{1f1e9}\u{1f1ea}',
  // halves of a pair
  '\ud800',
  '\udc00',
] as const;
