/** A long answer in markdown as a file, for the agent to stream. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runnerImport } from 'vite';

export async function answerFile(folder, length) {
  const { module } = await runnerImport(fileURLToPath(new URL('../answer.ts', import.meta.url)), {
    configFile: false,
    logLevel: 'error',
  });
  const file = join(folder, `answer-${length}.md`);
  writeFileSync(file, module.longAnswer(length));
  return file;
}
