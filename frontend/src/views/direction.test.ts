import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

/** Multi-line fields for prose, and titles written by users and agents. */
const wanted =
  /<textarea\b|className="(?:space-title|space-heading|space-heading-field|space-rename|branch-title|palette-title|tool-title|earlier-name|import-name|figure-title)(?: truncate)?"/;

it('what users and agents write goes the way of its first strong letter', () => {
  const files = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' });
  let found = 0;
  for (const file of files.filter((name) => name.endsWith('.tsx') && !name.endsWith('.test.tsx'))) {
    const text = readFileSync(join(import.meta.dirname, file), 'utf8');
    for (const tag of text.split(/<(?=\w)/).map((one) => `<${one}`)) {
      const own = tag.slice(0, tag.search(/[^=]>/) + 1 || undefined);
      if (!wanted.test(own)) continue;
      found++;
      expect(own, file).toContain('dir="auto"');
    }
  }
  expect(found).toBeGreaterThan(18);
});
