import { describe, expect, test } from 'vitest';
import type { Json } from '../../transcript/types';
import { contentOf, flawOf, isForm, type Question, questionsOf } from './schema';

const schema: Json = {
  type: 'object',
  required: ['fruit', 'count', 'junk'],
  properties: {
    fruit: { type: 'string', enum: ['apple', 'pear'], enumNames: ['An apple', 'A pear'], default: 'pear' },
    tree: {
      type: 'string',
      oneOf: [{ const: 'a', title: 'The old one' }, { const: 'b' }, { const: 3 }],
      default: 'x',
    },
    tools: {
      type: 'array',
      items: { anyOf: [{ const: 'saw', title: 'Saw' }, { const: 'ladder' }] },
      minItems: 1,
      default: ['saw', 'axe'],
    },
    count: { type: 'integer', minimum: 1, maximum: 9, default: 3 },
    price: { type: ['number', 'null'] },
    mail: { type: 'string', format: 'email', title: 'Your mail', description: 'To tell you' },
    page: { type: 'string', format: 'uri' },
    code: { type: 'string', pattern: '^[a-z]+$', minLength: 2, maxLength: 4 },
    broken: { type: 'string', pattern: '(' },
    sure: { type: 'boolean', default: true },
    odd: { type: 'object' },
    day: { type: 'string', format: 'date' },
    at: { type: 'string', format: 'date-time', default: '2026-11-21T10:00:00Z' },
  },
};

const by = (name: string): Question => {
  const found = questionsOf(schema).find((question) => question.name === name);
  if (found === undefined) throw new Error(name);
  return found;
};

/** Ten o'clock UTC in local time. */
const local = (() => {
  const at = new Date('2026-11-21T10:00:00Z');
  const two = (n: number) => String(n).padStart(2, '0');
  return `2026-11-${two(at.getDate())}T${two(at.getHours())}:${two(at.getMinutes())}`;
})();

describe('a form', () => {
  test('becomes questions in its order', () => {
    expect(
      questionsOf(schema).map(({ name, kind, initial }) => `${name} ${kind} ${String(initial)}`),
    ).toEqual([
      'fruit choice pear',
      'tree choice ',
      'tools choices saw',
      'count number 3',
      'price number ',
      'mail text ',
      'page text ',
      'code text ',
      'broken text ',
      'sure boolean true',
      'odd json ',
      'day text ',
      `at text ${local}`,
    ]);
    expect(by('fruit').choices).toEqual([
      { value: 'apple', title: 'An apple' },
      { value: 'pear', title: 'A pear' },
    ]);
    expect(by('tree').choices.map(({ title }) => title)).toEqual(['The old one', 'b']);
    expect(by('mail').title).toBe('Your mail');
  });

  test.each<Json | undefined>([
    undefined,
    null,
    7,
    [],
    {},
    { properties: [] },
    { properties: { a: null }, required: 'a' },
  ])('that is none has no questions, or plain ones: %j', (broken) => {
    expect(questionsOf(broken).every(({ kind }) => kind === 'text')).toBe(true);
  });

  test('is told from what is none', () => {
    expect([schema, { type: 'object' }, { properties: {} }].map(isForm)).toEqual([true, true, true]);
    const none: Json[] = [
      null,
      7,
      [],
      {},
      { type: 'string' },
      { properties: [] },
      { type: 'array', properties: {} },
    ];
    expect(none.map(isForm)).toEqual(none.map(() => false));
  });

  test('has at most 2000 questions', () => {
    const properties = Object.fromEntries(
      Array.from({ length: 2500 }, (_, i) => [`q${i}`, { type: 'string' }]),
    );
    expect(questionsOf({ properties })).toHaveLength(2000);
  });
});

test.each<[string, string | string[] | boolean, string | null]>([
  ['fruit', '', 'required'],
  ['fruit', 'apple', null],
  ['tree', '', null],
  ['tools', ['saw'], null],
  ['count', 'x', 'number'],
  ['count', '1.5', 'integer'],
  ['count', '0', 'least'],
  ['count', '10', 'most'],
  ['count', ' 9 ', null],
  ['price', '1.5', null],
  ['mail', 'me', 'email'],
  ['mail', 'me@example.org', null],
  ['page', 'example', 'uri'],
  ['page', 'https://example.org', null],
  ['code', 'a', 'shortest'],
  ['code', 'abcde', 'longest'],
  ['code', 'ab', null],
  ['broken', 'anything', null],
  ['odd', '{"a":', 'json'],
  ['odd', '{"a":1}', null],
  ['day', '2026-13-40', 'date'],
  ['day', '2026-11-21', null],
  ['sure', false, null],
])('%s answered with %j: %s', (name, answer, flaw) => {
  expect(flawOf(by(name), answer)?.key ?? null).toBe(flaw);
});

test('the content leaves out what was left empty', () => {
  expect(
    contentOf(questionsOf(schema), {
      fruit: 'apple',
      tools: ['ladder'],
      count: '4',
      price: '',
      mail: ' ',
      sure: false,
      odd: '{"a":[1]}',
      at: local,
    }),
  ).toEqual({
    fruit: 'apple',
    tools: ['ladder'],
    count: 4,
    sure: false,
    odd: { a: [1] },
    at: '2026-11-21T10:00:00.000Z',
  });
});

test('an answer that no field has room for is not filled in, nor a part of it', () => {
  const of = (value: Json) =>
    questionsOf({ type: 'object', properties: { a: { type: 'string', default: value } } })[0]?.initial;
  expect(of('a'.repeat(10_000))).toBe('a'.repeat(10_000));
  expect(of('a'.repeat(10_001))).toBe('');
});
