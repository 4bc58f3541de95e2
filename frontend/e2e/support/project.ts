import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

const files: Record<string, string> = {
  'README.md': '# Orchard\n\nCounts apples. Small on purpose.\n\n## Use\n\n```sh\nnpm start\n```\n',
  'package.json': `${JSON.stringify(
    {
      name: 'orchard',
      version: '1.2.0',
      description: 'Counts apples',
      scripts: { start: 'node src/main.js', test: 'node --test', build: 'node build.js' },
      license: 'MIT',
    },
    null,
    2,
  )}\n`,
  'src/main.js':
    "import { count } from './apples.js';\n\n// TODO: read the baskets from a file\nconsole.log(count(['red', 'green']));\n",
  'src/apples.js':
    'export function count(baskets) {\n  // FIXME: an empty basket counts as one\n  return baskets.length;\n}\n',
  'test/apples.test.js':
    "import test from 'node:test';\nimport { count } from '../src/apples.js';\n\ntest('counts', () => count([]));\n",
  'docs/notes.md': '# Notes\n\nTODO: say what an apple is.\n',
};

/** A small project for an agent to work in. */
export async function makeProject(folder: string): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), text);
  }
}
