import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, it } from 'vitest';
import type { Json } from '../../transcript/types';
import { filled, usesResult } from './template';

interface Case {
  template: string;
  args: Json;
  result?: Json;
  want: string;
}

const cases = JSON.parse(
  readFileSync(
    resolve(import.meta.dirname, '../../../../backend/gateway/tools/testdata/templates.json'),
    'utf8',
  ),
) as Case[];

it.each(cases)('fills $template as the gateway does', ({ template, args, result, want }) => {
  // With text before it, even a single placeholder results in text.
  const made = String(filled(`as ${template}`, { args, result }));
  expect(made.split(/\s+/).filter(Boolean).join(' ')).toBe(`as ${want}`.trim());
});

it('puts values of any kind where a text is nothing but a placeholder', () => {
  const values = { args: { n: 3, rows: [{ a: 1 }] }, result: { items: ['x'] } };
  const render = {
    rows: '{{rows}}',
    n: '{{ args.n }}',
    list: ['{{result.items}}', '{{gone}}', 'n: {{n}}'],
    off: '{{gone}}',
  };
  expect(filled(render, values)).toEqual({ rows: [{ a: 1 }], n: 3, list: ['x', 'n: 3'] });
  expect(usesResult(render)).toBe(true);
  expect(usesResult({ title: '{{results}} {{args.result}}', n: 1 })).toBe(false);
});
