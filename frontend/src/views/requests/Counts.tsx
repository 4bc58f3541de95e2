import type { Sides } from '../changes/rows';
import { count } from '../parts/numbers';

/** Added and removed lines. */
export function Counts({ sides }: { sides: Sides }) {
  let added = 0;
  let removed = 0;
  for (const { newLines, old } of sides.hunks) {
    added += newLines;
    removed += old === '' ? 0 : old.replace(/\n$/, '').split('\n').length;
  }
  return (
    <span className="diff-counts tabular">
      {added > 0 && <span className="diff-added">+{count(added)}</span>}{' '}
      {removed > 0 && <span className="diff-removed">−{count(removed)}</span>}
    </span>
  );
}
