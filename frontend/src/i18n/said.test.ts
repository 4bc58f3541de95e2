import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { afterEach, describe, expect, it, test } from 'vitest';
import type { Said } from '../transcript/types';
import { CommandError } from '../transport/transport';
import stayEnglish from './backend/english.json';
import templates from './backend/templates.json';
import './formats';
import { languages } from './language';
import { english, setTemplates, translated } from './said';
import { markup, placeholders, stops, wordsIn } from './strings.fixture';

const files = import.meta.glob<Record<string, string>>(
  ['./backend/*.json', '!./backend/templates.json', '!./backend/english.json', '!./backend/calls.json'],
  { import: 'default', eager: true },
);
const others = Object.keys(languages).filter((language) => language !== 'en');
const translatable = templates.filter((template) => !stayEnglish.includes(template));

/** Finds mistakes in the backend sentences of a language. */
function faultsOf(own: Record<string, string>): string[] {
  const faults = Object.keys(own)
    .filter((template) => !translatable.includes(template))
    .map((template) => `${template}: the backend has no such sentence, or it stays English`);
  for (const template of translatable) {
    const text = own[template];
    const say = (fault: string) => faults.push(`${template}: ${fault}`);
    if (text === undefined) {
      say('missing');
      continue;
    }
    if (text.trim() === '') say('empty');
    if (placeholders(text) !== placeholders(template)) say(`has ${placeholders(text)}`);
    if (markup(text) !== markup(template)) say('has other markup');
    if (text === template && wordsIn(text) > 0) say('is English');
    for (const [ends, endsHere] of stops)
      if (ends.test(template) !== endsHere.test(text)) say(`ends unlike it: “${text}”`);
  }
  return faults;
}

afterEach(() => setTemplates());

test.each(others)('%s has every sentence of the backend', (language) => {
  expect(faultsOf(files[`./backend/${language}.json`] ?? {})).toEqual([]);
});

test('there are sentences for the languages that can be chosen, and for no others', () => {
  expect(Object.keys(files).sort()).toEqual(others.map((language) => `./backend/${language}.json`).sort());
});

test('the sentences that stay English are sentences of the backend', () => {
  expect(stayEnglish.filter((template) => !templates.includes(template))).toEqual([]);
});

test('a fault in a sentence is found', () => {
  const good = files['./backend/de.json'] ?? {};
  const key = "Couldn't read {{path}}: {{why}}.";
  for (const [text, fault] of [
    [' ', 'empty'],
    [key, 'is English'],
    ['{{path}} konnte nicht gelesen werden.', 'has {{path}}'],
    ['{{path}} konnte nicht gelesen werden: <b>{{why}}</b>.', 'other markup'],
    ['{{path}} konnte nicht gelesen werden: {{why}}', 'ends unlike'],
  ] as const)
    expect(faultsOf({ ...good, [key]: text }).join()).toContain(fault);
  const { [key]: _, ...rest } = good;
  expect(faultsOf({ ...rest, Other: 'Andere' })).toHaveLength(2);
});

// The backend renders the same examples (backend/base/fault/said_test.go).
const examples = JSON.parse(
  readFileSync(resolve(import.meta.dirname, '../../../backend/base/fault/testdata/said.json'), 'utf8'),
) as { said: Said; text: string }[];

test('a sentence without a translation is what the backend has written', () => {
  for (const { said, text } of examples) expect(english(said)).toBe(text);
  setTemplates({ Other: 'Andere' });
  for (const { said, text } of examples) expect(translated({ message: text, said })).toBe(text);
});

describe('a sentence of the backend', () => {
  const german = {
    "Couldn't read {{path}}: {{why}}.": '{{why}} bei {{path}}.',
    'permission was denied': 'kein Zugriff',
    'The disk is full.': 'Das Laufwerk ist voll.',
  };

  it.each<[string, string, Said | undefined, string]>([
    [
      'has its values where the language has them',
      "Couldn't read /a: permission was denied.",
      ["Couldn't read {{path}}: {{why}}.", '/a', ['permission was denied']],
      'kein Zugriff bei /a.',
    ],
    [
      'keeps what a value looks like',
      "Couldn't read {{why}} $& <b>: The disk is full..",
      ["Couldn't read {{path}}: {{why}}.", '{{why}} $& <b>', 'The disk is full.'],
      'The disk is full. bei {{why}} $& <b>.',
    ],
    [
      'is English where it is not known',
      'Never heard of a.',
      ['Never heard of {{x}}.', 'a'],
      'Never heard of a.',
    ],
    ['may come without values', 'The disk is full.', undefined, 'Das Laufwerk ist voll.'],
    [
      'may come as a text alone',
      "Couldn't read /a: permission was denied.",
      undefined,
      'kein Zugriff bei /a.',
    ],
    ['of an agent stays as it is', 'Rate limit reached.', undefined, 'Rate limit reached.'],
    ['of another form stays as it is', 'Odd.', ['{{x}}', 7] as unknown as Said, 'Odd.'],
  ])('%s', (_, message, said, want) => {
    setTemplates(german);
    expect(translated({ message, said })).toBe(want);
  });

  it('has times, sizes and numbers as the language writes them', () => {
    const said: Said = [
      "Couldn't read {{path}}: {{why}}.",
      ['{{time}}', '2026-01-31 15:04', String(new Date(2026, 0, 31, 15, 4).getTime())],
      ['{{x}} / {{y}}', ['{{size}}', '1.5 KB', '1536'], ['{{number}}', '12345', '12345']],
    ];
    const message = "Couldn't read 2026-01-31 15:04: 1.5 KB / 12345.";
    expect(english(said)).toBe(message);
    expect(translated({ message, said })).toBe("Couldn't read Jan 31, 2026, 3:04 PM: 1.5\u202fKB / 12,345.");
    setTemplates(german);
    expect(translated({ message, said })).toContain('1.5\u202fKB / 12,345 bei Jan 31');
  });

  it.each([
    ['{{time}}', '2026-01-31 15:04', '1e99'],
    ['{{time}}', '2026-01-31 15:04', 'x'],
    ['{{size}}', '2026-01-31 15:04', ''],
    ['{{number}}', '2026-01-31 15:04', ['1']],
    ['{{time}}', '2026-01-31 15:04'],
  ] as Said[])('has the value in English where it is no figure: %s %s %s', (...said) => {
    expect(translated({ message: '2026-01-31 15:04', said: said as Said })).toBe('2026-01-31 15:04');
  });

  it('is English again where English is chosen', () => {
    setTemplates(german);
    setTemplates();
    expect(translated('The disk is full.')).toBe('The disk is full.');
  });
});

test('an error of a command follows the language', () => {
  const error = new CommandError('invalid', 'Enter a message.', '', ['Enter a message.']);
  expect(error.message).toBe('Enter a message.');
  setTemplates(files['./backend/de.json']);
  expect(error.message).toBe('Geben Sie eine Nachricht ein.');
  setTemplates();
  expect(error.message).toBe('Enter a message.');
});

test('a sentence of every template is found again in the text alone', () => {
  const de = files['./backend/de.json'] ?? {};
  setTemplates(de);
  const missed = translatable.filter((template) => {
    const letters = template.replaceAll(/\{\{\w+\}\}/g, '').replaceAll(/[^A-Za-z]/g, '').length;
    if (letters < 8) return false;
    const text = template.replaceAll('{{signal}}', 'SIGTERM').replaceAll(/\{\{\w+\}\}/g, '17');
    return translated(text) === text;
  });
  expect(missed).toEqual([]);
});
