import type { Item, Thought, ToolGroup } from './model';
import { isOpen, workedFor } from './model';
import { waitIntervalsOf } from './runs';
import type { Status } from './types';
import { isCounted } from './visibility';

// The one-line summary of a tool group. The caller passes the strings, so that this has no dependencies.

export interface Words {
  calls(n: number): string;
  thought(n: number): string;
  /** e.g. "read 3 files"; with `bare`, without the noun that an earlier part named: "edited 1". */
  did(kind: string, n: number, bare: boolean): string;
  /** e.g. "2 rejected"; empty if it is shown elsewhere. */
  state(status: Status, n: number): string;
  /** Joins facts: "read 3 files, edited 1". */
  beside(parts: readonly string[]): string;
}

/** Kinds in the order of a summary. */
const order = ['read', 'edit', 'delete', 'move', 'search', 'fetch', 'execute', 'switch_mode'];
const ofFiles = ['read', 'edit', 'delete', 'move'];
const told: readonly Status[] = ['failed', 'rejected', 'cancelled'];

/**
 * States of calls that haven't taken effect (yet). A failed call counts as tried: the number of failures is shown
 * separately.
 */
const undone: readonly Status[] = ['pending', 'running', 'waiting', 'rejected', 'cancelled'];

/**
 * "Read 3 files, edited 1 · 1 failed". The number of calls is shown only if the kinds don't imply it: "5 tool calls ·
 * read 3 files".
 */
export function groupLabel(group: ToolGroup, words: Words): string {
  const calls = callCount(group);
  if (calls === 0) return words.thought(thoughts(group.items).length);
  let named = false;
  let counted = 0;
  const less = undoneKinds(group);
  const did = order.flatMap((kind) => {
    const n = less === null ? 0 : (group.kindCounts[kind] ?? 0) - (less.get(kind) ?? 0);
    if (n <= 0) return [];
    const part = words.did(kind, n, named && ofFiles.includes(kind));
    named ||= ofFiles.includes(kind);
    if (part === '') return [];
    counted += n;
    return [part];
  });
  const states = told.flatMap((status) => {
    const n = group.statusCounts[status] ?? 0;
    if (n > 0 && undone.includes(status)) counted += n;
    const part = n === 0 ? '' : words.state(status, n);
    return part === '' ? [] : [part];
  });
  const all = did.length > 0 && counted === calls ? '' : words.calls(calls);
  const label = [all, words.beside(did), words.beside(states)].filter((part) => part !== '').join(' · ');
  return label.charAt(0).toUpperCase() + label.slice(1);
}

/** Counts the calls without effect by kind; null if some of them aren't in memory, so their kinds are unknown. */
function undoneKinds(group: ToolGroup): Map<string, number> | null {
  const kinds = new Map<string, number>();
  let left = undone.reduce((n, status) => n + (group.statusCounts[status] ?? 0), 0);
  if (left === 0) return kinds;
  for (const item of group.items) {
    if (item.type !== 'tool_call' || !undone.includes(item.status) || !isCounted(item)) continue;
    kinds.set(item.kind, (kinds.get(item.kind) ?? 0) + 1);
    left--;
  }
  return left > 0 ? null : kinds;
}

export function callCount(group: ToolGroup): number {
  let n = 0;
  for (const count of Object.values(group.statusCounts)) n += count;
  return n;
}

export function openCount(group: ToolGroup): number {
  return (['pending', 'running', 'waiting'] as const).reduce((n, s) => n + (group.statusCounts[s] ?? 0), 0);
}

/** The state of a group as a whole: the one that the user most needs to know. */
export function groupStatus(group: ToolGroup): Status {
  const order: Status[] = ['waiting', 'running', 'pending', 'failed', 'rejected', 'cancelled'];
  return order.find((status) => (group.statusCounts[status] ?? 0) > 0) ?? 'completed';
}

/**
 * From the first start to the last end, excluding time spent waiting for the user; undefined while something runs or if
 * nothing is known.
 */
export function groupDuration(items: readonly Item[]): number | undefined {
  let from = Number.POSITIVE_INFINITY;
  let to = 0;
  for (const item of items) {
    if (item.startedAt === 0) continue;
    from = Math.min(from, item.startedAt);
    if (item.type === 'thought') to = Math.max(to, item.endedAt);
    else if (isOpen(item.status)) return undefined;
    else to = Math.max(to, item.startedAt + (item.durationMs ?? 0));
  }
  if (to === 0) return undefined;
  const requests = items.flatMap((item) => (item.type === 'tool_call' ? item.permissions : []));
  return workedFor({ waitIntervals: waitIntervalsOf(requests) }, from, to);
}

export function thoughts(items: readonly Item[]): Thought[] {
  return items.filter((item) => item.type === 'thought');
}
