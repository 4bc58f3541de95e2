import { existsSync } from 'node:fs';
import { resolve } from 'node:path';

export const repository = resolve(import.meta.dirname, '../../..');

/** The binary under test. */
export function binary(): string {
  const path = process.env['WEFT_BINARY'] ?? resolve(repository, 'build/bin/weft');
  if (!existsSync(path)) throw new Error(`${path} is not there. Run \`make build\` first.`);
  return path;
}
