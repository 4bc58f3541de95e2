import { readdir, readFile } from 'node:fs/promises';

/** How many processes run with these words in their command line. */
export async function processes(words: string): Promise<number> {
  const lines = await Promise.all(
    (await readdir('/proc'))
      .filter((name) => /^\d+$/.test(name))
      .map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')),
  );
  return lines.filter((line) => line.split('\0').join(' ').includes(words)).length;
}
