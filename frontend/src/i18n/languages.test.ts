import { describe, expect, it, test } from 'vitest';
import en from './en.json';
import { languageOf, languages, localeOf } from './language';
import { markup, placeholders, stops, wordsIn } from './strings.fixture';

interface Strings {
  [key: string]: string | Strings;
}

const files = import.meta.glob<Strings>('./*.json', { import: 'default', eager: true });

/** All strings of a language, by key. */
function stringsOf(strings: Strings, prefix = ''): Map<string, string> {
  return new Map(
    Object.entries(strings).flatMap(([name, value]) =>
      typeof value === 'string'
        ? [[prefix + name, value] as const]
        : [...stringsOf(value, `${prefix}${name}.`)],
    ),
  );
}

const plural = /_(zero|one|two|few|many|other)$/;
const english = stringsOf(en);

/** The keys that a language needs, each with the English strings that it may translate. */
function needed(language: string): Map<string, string[]> {
  const forms = new Intl.PluralRules(language).resolvedOptions().pluralCategories;
  const keys = new Map<string, string[]>();
  for (const [key, text] of english) {
    if (!plural.test(key)) keys.set(key, [text]);
    else if (key.endsWith('_other')) {
      const plain = key.replace(plural, '');
      for (const form of forms)
        keys.set(`${plain}_${form}`, form === 'one' ? [text, english.get(`${plain}_one`) ?? text] : [text]);
    }
  }
  return keys;
}

/** Strings that end differently in some language: no period after an example, or a label instead of a question. */
const otherEnds = new Set([
  'ja question.flaw.uri',
  'ja registry.useModel',
  'zh usage.number',
  'ja usage.number',
  'es usage.number',
]);

/** Strings of more than two words that are identical in English: names, examples and formulas. */
const sameWords = new Set(['editor.commandExample']);

function faultsOf(language: string, own: Map<string, string>): string[] {
  const wanted = needed(language);
  const faults = [...own.keys()]
    .filter((key) => !wanted.has(key))
    .map((key) => `${key}: English has no such string`);
  for (const [key, sources] of wanted) {
    const text = own.get(key);
    const say = (fault: string) => faults.push(`${key}: ${fault}`);
    if (text === undefined) {
      say('missing');
      continue;
    }
    if (text.trim() === '') say('empty');
    if (text !== text.trim() && !sources.includes(text)) say('has spaces at its ends');
    // Languages in which "one" always means exactly one may omit the number, as in "In the last day".
    const without = key.endsWith('_one')
      ? sources.map((source) => source.replaceAll(/\{\{(?:count|n)\}\}/g, ''))
      : [];
    if (![...sources, ...without].some((source) => placeholders(source) === placeholders(text)))
      say(`has ${placeholders(text)} instead of ${placeholders(sources[0] ?? '')}`);
    if (!sources.some((source) => markup(source) === markup(text))) say('has other markup');
    if (sources.includes(text) && wordsIn(text) > 2 && !sameWords.has(key)) say(`is English: ${text}`);
    for (const [ends, endsHere] of stops)
      if (
        !otherEnds.has(`${language} ${key}`) &&
        sources.every((one) => ends.test(one)) !== endsHere.test(text) &&
        sources.every((one) => ends.test(one)) === sources.some((one) => ends.test(one))
      )
        say(`ends unlike “${sources[0]}”: “${text}”`);
  }
  return faults;
}

const others = Object.keys(languages).filter((language) => language !== 'en');

test.each(others)('%s has every string, in the forms that the language needs', (language) => {
  expect(faultsOf(language, stringsOf(files[`./${language}.json`] ?? {}))).toEqual([]);
});

test('English has the forms that it needs', () => {
  expect([...needed('en').keys()].filter((key) => !english.has(key))).toEqual([]);
  expect([...english.keys()].filter((key) => !needed('en').has(key))).toEqual([]);
});

test('there are files of the languages that can be chosen, and of no others', () => {
  expect(Object.keys(files).sort()).toEqual(
    Object.keys(languages)
      .map((language) => `./${language}.json`)
      .sort(),
  );
});

describe('a fault in a language is found', () => {
  const key = 'changes.rejected_other';
  const good = stringsOf(files['./de.json'] ?? {});
  it.each([
    ['missing', undefined],
    ['empty', ' '],
    ['instead of', '{{n}} Dateien wurden wiederhergestellt'],
    ['is English', english.get(key) ?? ''],
    ['other markup', '{{count}} <b>Dateien</b> wurden wiederhergestellt'],
    ['ends unlike', '{{count}} Dateien wurden wiederhergestellt.'],
  ])('%s', (fault, text) => {
    const strings = new Map(good);
    if (text === undefined) strings.delete(key);
    else strings.set(key, text);
    expect(faultsOf('de', strings).join('\n')).toContain(fault);
  });
  it('of a plural that it does not have', () => {
    expect(faultsOf('de', new Map([...good, ['backups.all_many', 'x']])).join('\n')).toContain(
      'no such string',
    );
  });
});

it.each([
  ['de', [], 'de'],
  ['system', ['de-AT', 'en'], 'de'],
  ['system', ['fr-FR', 'es-419', 'en-US'], 'es'],
  ['system', ['zh-CN'], 'zh'],
  ['system', ['zh'], 'zh'],
  ['system', ['zh-TW', 'ja'], 'ja'],
  ['system', ['zh-Hant-HK'], 'en'],
  ['system', ['zh-Hans-HK'], 'zh'],
  ['system', ['fr'], 'en'],
  ['system', [], 'en'],
  ['system', ['not a tag', '', 'ja'], 'ja'],
  ['tlh', ['de'], 'de'],
  [undefined, ['ja-JP'], 'ja'],
])('what is chosen is %s and the system speaks %j: the window speaks %s', (chosen, system, language) => {
  expect(languageOf(chosen, system)).toBe(language);
});

it.each([
  ['en', ['de-AT', 'en-GB', 'en-US'], 'en-GB'],
  ['de', ['en-US'], 'de'],
  ['zh', ['zh-TW', 'zh-SG'], 'zh-SG'],
] as const)('%s is formatted as %j does: %s', (language, system, locale) => {
  expect(localeOf(language, system)).toBe(locale);
});
