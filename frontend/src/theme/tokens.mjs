import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { relative, resolve } from 'node:path';

// Puts tokens where a size in a style sheet has one: `node src/theme/tokens.mjs`. It can be run again at any time, such as after a merge.

const root = resolve(import.meta.dirname, '..');
const space = { 2: 1, 4: 2, 6: 3, 8: 4, 10: 5, 12: 6, 14: 7, 16: 8, 20: 9, 24: 10, 32: 11 };
const radius = { 1: '-xs', 2: '-xs', 3: '-sm', 4: '-sm', 5: '-sm', 6: '', 10: '-lg' };

const spaced = (px) => (px in space ? `var(--space-${space[px]})` : `${px}px`);
const rounded = (px) => (px in radius ? `var(--radius${radius[px]})` : `${px}px`);

/** Replaces sizes that stand by themselves, not those that are calculated with. */
function replaced(value, by) {
  return value.replace(/(?<![\w.(-])(\d+(?:\.\d+)?)px(?![\w)])/g, (_, px) => by(px));
}

for (const path of readdirSync(root, { recursive: true })) {
  if (!path.endsWith('.css') || path.endsWith('tokens.css')) continue;
  const file = resolve(root, path);
  const before = readFileSync(file, 'utf8');
  const after = before.replace(
    /(^\s*)((?:margin|padding|scroll-margin|scroll-padding)(?:-[a-z-]+)?|(?:row-|column-)?gap|border(?:-[a-z]+){0,2}-radius)(:\s*)([^;{}]+)(?=;)/gm,
    (_, indent, property, colon, value) => {
      const calculated = /calc|min\(|max\(|clamp/.test(value);
      const by = property.endsWith('radius') ? rounded : spaced;
      return `${indent}${property}${colon}${calculated ? value : replaced(value, by)}`;
    },
  );
  if (after === before) continue;
  writeFileSync(file, after);
  process.stdout.write(`${relative(process.cwd(), file)}\n`);
}
