import { describe, expect, it } from 'vitest';
import { emptyRow, looksSecret, pastedRows, type Row, rowsOf, valuesOf } from './rows';

const row = (what: Partial<Row>): Row => ({ ...emptyRow(), ...what });

describe('rows of values', () => {
  it('say what they were made of', () => {
    const rows = rowsOf({ A: '1', B: '' }, { KEY: 'file:x' });
    expect(valuesOf(rows, 'variable')).toEqual({
      plain: { A: '1', B: '' },
      secrets: { KEY: { ref: 'file:x' } },
      wrong: null,
    });
    expect(valuesOf(rowsOf(null, null), 'header')).toEqual({ plain: {}, secrets: {}, wrong: null });
  });

  it('replace a kept secret only by what is typed', () => {
    const kept = row({ name: 'KEY', secret: true, ref: 'keychain:x', value: 'new' });
    expect(valuesOf([kept], 'variable').secrets).toEqual({ KEY: { value: 'new' } });
  });

  it('leave out rows in which nothing stands', () => {
    expect(valuesOf([emptyRow(), row({ name: ' A ', value: 'x' })], 'variable').plain).toEqual({ A: 'x' });
  });

  it.each([
    ['name', 'variable', [row({ name: 'not a name', value: 'x' })], 'not a name'],
    ['name', 'header', [row({ name: 'X\nY', value: 'x' })], 'X\nY'],
    ['name', 'variable', [row({ value: 'x' })], ''],
    ['twice', 'variable', [row({ name: 'A' }), row({ name: 'A', secret: true, value: 'x' })], 'A'],
    ['twice', 'header', [row({ name: 'Accept' }), row({ name: 'accept' })], 'accept'],
    ['value', 'header', [row({ name: 'X-Key', secret: true })], 'X-Key'],
  ] as const)('tell what is wrong: %s of a %s', (why, kind, rows, name) => {
    expect(valuesOf(rows, kind).wrong).toEqual({ why, name });
  });

  it('take variables that differ in case for two', () => {
    expect(valuesOf([row({ name: 'a' }), row({ name: 'A' })], 'variable').wrong).toBeNull();
  });
});

describe('what is pasted', () => {
  it('becomes rows, secrets among them', () => {
    const found = pastedRows('export A=1\n\nAPI_KEY="two words"\nX-Trace: on\n');
    expect(found?.map(({ name, value, secret }) => [name, value, secret])).toEqual([
      ['A', '1', false],
      ['API_KEY', 'two words', true],
      ['X-Trace', 'on', false],
    ]);
  });

  it.each(['', 'a word', 'A=1\nnot this'])('is left alone where it is something else: %j', (text) => {
    expect(pastedRows(text)).toBeNull();
  });
});

it.each([
  ['Authorization', true],
  ['GITHUB_TOKEN', true],
  ['X-Api-Key', true],
  ['DB_PASSWORD', true],
  ['HOME', false],
  ['KEYBOARD', false],
  ['Accept', false],
])('%s is mostly a secret: %s', (name, is) => {
  expect(looksSecret(name)).toBe(is);
});
