import { diffWordsWithSpace } from 'diff';

/** A part of a line, and whether it differs from the counterpart. */
export interface Span {
  from: number;
  to: number;
}

const longest = 1000;

/** The words of a line that differ from the line it replaces. Empty if they have hardly any word in common. */
export function changedWords(before: string, after: string): { old: Span[]; new: Span[] } {
  const nothing = { old: [], new: [] };
  if (before.length > longest || after.length > longest) return nothing;
  const parts = diffWordsWithSpace(before, after, { maxEditLength: 60 });
  if (parts === undefined) return nothing;
  const out: { old: Span[]; new: Span[] } = { old: [], new: [] };
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

function push(list: Span[], from: number, to: number): void {
  const last = list.at(-1);
  if (last !== undefined && last.to === from) last.to = to;
  else list.push({ from, to });
}
