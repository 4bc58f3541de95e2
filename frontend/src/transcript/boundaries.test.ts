import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

/** What each folder may import besides itself. */
const allowed: Record<string, RegExp> = {
  transcript: /^\.\//,
  transport: /^(\.\/|\.\.\/transcript\/|\.\.\/i18n(\/said)?$)/,
};

it.each(Object.entries(allowed))('%s imports only what stands below it', (room, rule) => {
  const folder = join(import.meta.dirname, '..', room);
  for (const file of readdirSync(folder)) {
    if (!/\.tsx?$/.test(file) || /\.(test|fixture)\.tsx?$/.test(file)) continue;
    const source = readFileSync(join(folder, file), 'utf8');
    for (const [, from] of source.matchAll(/from '([^']+)'/g))
      expect(`${file}: ${from}`).toMatch(new RegExp(`^${file}: ${rule.source.slice(1)}`));
  }
});
