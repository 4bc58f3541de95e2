import { expect, test } from 'vitest';
import en from './en.json';

interface Strings {
  [key: string]: string | Strings;
}

interface Rule {
  refuse: RegExp;
  write: string;
  /** A string that was in the interface once and must be rejected. */
  example: string;
}

const rules: Rule[] = [
  {
    refuse: /\b(?:shall|whose|nobody|somebody|anybody|persons?)\b/i,
    write: 'you, the agent, someone',
    example: 'What shall be done?',
  },
  { refuse: /\b(?:tells? of|told of|tell through)\b/i, write: 'No … found', example: 'It tells of none.' },
  {
    refuse: /\b(?:is|are|was|were) to be\b/i,
    write: 'must be, will be, needs',
    example: '{{n}} is to be mended.',
  },
  {
    refuse: /\b(?:has|have) not (?:the|a|an|any)\b/i,
    write: "doesn't have",
    example: 'This has not the form that the agent wants.',
  },
  { refuse: /\b(?:is|are|was) no (?!longer\b|more\b)\w/i, write: "isn't a …", example: 'This is no date.' },
  {
    refuse: /\b(?:cannot|(?:can|could|do|does|did|is|are|was|were|will|has|have) not)\b/i,
    write: "a contraction: can't, couldn't, isn't",
    example: 'Weft cannot start',
  },
  { refuse: /\b(?:goes|go|went) on\b/i, write: 'continue', example: 'The agent declined to go on.' },
  {
    refuse: /\b(?:for ever|anew|outside of|all the same)\b/i,
    write: 'permanently, again, outside, anyway',
    example: 'outside of the folder',
  },
  {
    refuse: /\b(?:called off|call it off|take(?:n)? (?:that )?back|put back)\b/i,
    write: 'cancel, undo, restore',
    example: 'Take that back',
  },
  {
    refuse: /\bstands? (?:in|at|on|by|with|there|where|behind)\b/i,
    write: 'is',
    example: 'The terminal of this call stands with “{{title}}”.',
  },
  {
    refuse: /\b(?:vouch\w*|mended|last words|rests?\.)/i,
    write: 'verified, fixed, last error output',
    example: 'Its last words',
  },
  {
    refuse:
      /(?:colour|behaviour|favour|catalogue|licence|cancelled|cancelling)|\b\w+(?:mar|ogn|gan|mal|rial|tial|im)is(?:e[sd]?|ing|ation)\b/i,
    write: 'American spelling',
    example: 'Summarise this project',
  },
  {
    refuse: /’|‘|\.\.\.| …|\d %|}} %/,
    write: 'a straight apostrophe, … without a space before it, 40%',
    example: 'Reading …',
  },
  {
    refuse: /\bwhat is there\b|\bhas what\b|\bisn't known until\b|\bin one piece\b|\bis kept beside\b/i,
    write: 'who does what: Weft keeps a copy of your data',
    example: 'What is there now is kept beside it.',
  },
  {
    refuse: /^(?:options|calls) of\b|\bcovers (?:the|this|every|all)\b|\bby itself\b|\bthis weft\b/i,
    write: 'Claude options, Calls to …, Applies to …, without asking, Weft',
    example: 'Options of {{agent}}',
  },
  { refuse: /\bWaits? for (?:you|me)\b/i, write: 'Needs your answer', example: '{{n}} things wait for you' },
];

/** All strings with their keys, without i18next placeholders, which are names of values. */
function stringsOf(strings: Strings, prefix = ''): [key: string, text: string][] {
  return Object.entries(strings).flatMap(([name, value]) =>
    typeof value === 'string'
      ? [[prefix + name, value] as [string, string]]
      : stringsOf(value, `${prefix}${name}.`),
  );
}

const broken = (text: string) => rules.filter(({ refuse }) => refuse.test(text));

test.each(rules)('refuses “$example”: write $write', (rule) => {
  expect(rule.refuse.test(rule.example)).toBe(true);
});

test('the interface speaks plain English', () => {
  const found = stringsOf(en).flatMap(([key, text]) =>
    broken(text).map(({ write }) => `${key}: “${text}” (write ${write})`),
  );
  expect(found).toEqual([]);
});
