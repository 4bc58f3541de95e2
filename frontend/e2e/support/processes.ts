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

/** The processes that another one has started, and whose program has such a name. */
export async function childrenOf(parent: number, name: string): Promise<number[]> {
  const found: number[] = [];
  for (const pid of (await readdir('/proc')).filter((one) => /^\d+$/.test(one))) {
    // "1 (WebKitWebProces) S 2 …": the name, in brackets, may have any letters.
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
    const [, program = '', , of] = /^\d+ \((.*)\) (\S) (\d+)/s.exec(stat) ?? [];
    if (Number(of) === parent && program.startsWith(name)) found.push(Number(pid));
  }
  return found;
}
