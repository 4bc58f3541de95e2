import { diffWordsWithSpace } from 'diff';

/** A stretch of a line, and whether it differs from its twin. */
export interface Stretch {
  from: number;
  to: number;
}

const longest = 1000;

/** The stretches of a line that differ from the line that it replaces, as words. None where hardly any word is the same. */
export function changedWords(before: string, after: string): { old: Stretch[]; new: Stretch[] } {
  const nothing = { old: [], new: [] };
  if (before.length > longest || after.length > longest) return nothing;
  const parts = diffWordsWithSpace(before, after, { maxEditLength: 60 });
  if (parts === undefined) return nothing;
  const out: { old: Stretch[]; new: Stretch[] } = { old: [], new: [] };
  let oldAt = 0;
  let newAt = 0;
  let kept = 0;
  for (const { value, added, removed } of parts) {
    if (added) push(out.new, newAt, newAt + value.length);
    if (removed) push(out.old, oldAt, oldAt + value.length);
    if (!added && !removed) kept += value.trim().length;
    if (!added) oldAt += value.length;
    if (!removed) newAt += value.length;
  }
  const most = Math.max(before.trim().length, after.trim().length);
  return kept * 4 < most ? nothing : out;
}

function push(list: Stretch[], from: number, to: number): void {
  const last = list.at(-1);
  if (last !== undefined && last.to === from) last.to = to;
  else list.push({ from, to });
}
