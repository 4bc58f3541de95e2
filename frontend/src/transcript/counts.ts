import type { DraftGroup } from './draft';
import type { ToolCall } from './model';
import { isCounted } from './visibility';

// Counts the calls of a group by kind and by status, including those not in memory.

export function countCall(
  group: Pick<DraftGroup, 'kindCounts' | 'statusCounts'>,
  call: ToolCall,
  by: 1 | -1,
): void {
  if (!isCounted(call)) return;
  count(group.kindCounts, call.kind, by);
  count(group.statusCounts, call.status, by);
}

export function recount(counts: Record<string, number>, before: string, after: string): void {
  if (before === after) return;
  count(counts, before, -1);
  count(counts, after, 1);
}

function count(counts: Record<string, number>, key: string, by: number): void {
  const next = (counts[key] ?? 0) + by;
  if (next > 0) counts[key] = next;
  else delete counts[key];
}
