import { count } from '../parts/numbers';
import { linesOf, type Sides } from './rows';

/** Numbers of added and removed lines, in their colors. */
export function Counts({ added, removed }: { added: number; removed: number }) {
  return (
    <span className="diff-counts tabular">
      {added > 0 && <span className="diff-added">+{count(added)}</span>}{' '}
      {removed > 0 && <span className="diff-removed">−{count(removed)}</span>}
    </span>
  );
}

/** Counts the lines that a diff adds and removes. */
export function countsOf({ hunks }: Sides): { added: number; removed: number } {
  let added = 0;
  let removed = 0;
  for (const { newLines, old } of hunks) {
    added += newLines;
    removed += linesOf(old).length;
  }
  return { added, removed };
}

/** A sentence that starts with changed lines, such as "+12 −3 in main.ts", with their numbers in color. */
export function SentenceWithCounts({ text }: { text: string }) {
  const found = /^(\+\d[\d,]*)?\s?([−-]\d[\d,]*)?(?=\s|$)/.exec(text);
  if (found === null || found[0].trim() === '') return text;
  const [all, added = '', removed = ''] = found;
  return (
    <>
      {added !== '' && <span className="diff-added">{added}</span>}
      {added !== '' && removed !== '' && ' '}
      {removed !== '' && <span className="diff-removed">{removed}</span>}
      {text.slice(all.length)}
    </>
  );
}
