import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { PartialJson } from './partialjson';

interface Case {
  name: string;
  in: string;
  want: string[][];
  error?: number;
}

// The cases that backend/conversation/partialjson is tested with, too.
const table = JSON.parse(
  readFileSync(
    resolve(import.meta.dirname, '../../../backend/conversation/partialjson/testdata/cases.json'),
    'utf8',
  ),
) as Case[];

function read(text: string, size: number): { rows: string[][]; brokenAt: number } {
  const rows: string[][] = [];
  const reader = new PartialJson({
    started: (field) => rows.push(['start', field]),
    text: (field, path, more) => {
      const last = rows.at(-1);
      if (last?.[0] === 'text' && last[1] === field && last[2] === path) last[3] = `${last[3]}${more}`;
      else rows.push(['text', field, path, more]);
    },
    complete: (field) => rows.push(['field', field]),
    ended: () => rows.push(['end']),
  });
  // Fragments of events never split a character.
  const characters = [...text];
  for (let i = 0; i < characters.length; i += size) reader.write(characters.slice(i, i + size).join(''));
  return { rows, brokenAt: reader.brokenAt };
}

describe('partial JSON', () => {
  it.each(table)('$name', (one) => {
    const want = one.want.map((row) => (row[0] === 'field' ? row.slice(0, 2) : row));
    for (const size of [1, 2, 3, 7, 10_000]) {
      expect(read(one.in, size)).toEqual({ rows: want, brokenAt: one.error ?? -1 });
    }
  });

  it('refuses to nest without end', () => {
    const { brokenAt } = read(`{"a":${'['.repeat(20_000)}`, 64);
    expect(brokenAt).toBe(5 + 9_999);
  });
});
