import type { Reading } from '../../transcript/types';

// The agent's words about its request come after what will run, and never replace it.

/** The agent's sentences about its request, without code fences, repetitions, and what the card shows anyway. */
export function saidOf(words: readonly string[], reading: Reading, shown: readonly string[] = []): string[] {
  const known = new Set<string>();
  for (const { line, shell = '', args = [] } of reading.commands ?? [])
    for (const one of [line, args.join(' '), `${shell} ${line}`]) known.add(plain(one));
  for (const { path } of reading.files ?? []) known.add(plain(path));
  for (const one of shown) known.add(plain(one));
  const out: string[] = [];
  for (const text of words) {
    const rest = withoutFences(text, known);
    const key = plain(rest);
    if (key === '' || known.has(key)) continue;
    known.add(key);
    out.push(rest);
  }
  // A sentence contained in another adds nothing.
  const keys = out.map(plain);
  return out.filter((_, i) => !keys.some((key, k) => k !== i && key.includes(keys[i] ?? '')));
}

/** Removes fences, and their content if it is known. */
function withoutFences(text: string, known: ReadonlySet<string>): string {
  const out: string[] = [];
  let fence: { sign: string; lines: string[] } | null = null;
  const close = () => {
    if (fence !== null && !known.has(plain(fence.lines.join('\n')))) out.push(...fence.lines);
    fence = null;
  };
  for (const line of text.replace(/\r\n/g, '\n').split('\n')) {
    const sign = /^\s*(`{3,}|~{3,})/.exec(line)?.[1];
    if (fence !== null && sign !== undefined && sign[0] === (fence as { sign: string }).sign[0]) close();
    else if (fence !== null) (fence as { lines: string[] }).lines.push(line);
    else if (sign !== undefined) fence = { sign, lines: [] };
    else out.push(line);
  }
  close();
  return out
    .filter((line) => line.trim() !== '')
    .filter((line) => !known.has(plain(line)))
    .join('\n')
    .trim();
}

/** For comparing: without decoration. */
function plain(text: string): string {
  return text
    .replace(/[`\s]+/g, ' ')
    .replace(/^ ?(\$|>) /, '')
    .trim()
    .toLowerCase();
}
