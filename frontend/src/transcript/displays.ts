import type { Item, ToolCall } from './model';
import { displayKind } from './model';
import type { ShownGroup } from './nest';
import { isCounted } from './visibility';

// Displays are shown in the message itself, not in the group they came with: the group is split into what was before
// the display, the display, and what came after it. Order and indices don't change.

export type Part =
  | { readonly type: 'group'; readonly group: ShownGroup }
  | { readonly type: 'shown'; readonly call: ToolCall; readonly segment: number; readonly item: number };

/** Reports whether an item is rendered as a component. */
export function isDisplay(item: Item): item is ToolCall {
  return item.type === 'tool_call' && item.kind === displayKind;
}

/** Splits a group at its displays; null if it has none. `segment` is that of its items. */
export function partsOf(group: ShownGroup, segment: number): Part[] | null {
  if (!group.items.some(isDisplay)) return null;
  const parts: Part[] = [];
  let from = 0;
  // Items not in memory come before all others, so the first part gets the counts that remain.
  const rest = { kinds: { ...group.kindCounts }, statuses: { ...group.statusCounts } };
  const cut = (to: number) => {
    if (to > from) parts.push({ type: 'group', group: stretch(group, segment, from, to) });
    from = to + 1;
  };
  for (const [i, item] of group.items.entries()) {
    if (!isDisplay(item)) continue;
    cut(i);
    const at = group.segments?.[i] ?? segment;
    parts.push({ type: 'shown', call: item, segment: at, item: group.indices?.[i] ?? group.firstItem + i });
  }
  cut(group.items.length);
  if (group.firstItem === 0) return parts;
  const [first] = parts;
  for (const part of parts) if (part !== first || part.type === 'shown') less(rest, part);
  const before: ShownGroup =
    first?.type === 'group'
      ? { ...first.group, firstItem: group.firstItem, kindCounts: rest.kinds, statusCounts: rest.statuses }
      : {
          ...group,
          items: [],
          indices: [],
          segments: [],
          kindCounts: rest.kinds,
          statusCounts: rest.statuses,
        };
  const { start: _, ...whole } = before;
  return [{ type: 'group', group: whole }, ...parts.slice(first?.type === 'group' ? 1 : 0)];
}

interface Counts {
  kinds: Record<string, number>;
  statuses: Record<string, number>;
}

function less({ kinds, statuses }: Counts, part: Part): void {
  const calls = part.type === 'shown' ? [part.call] : part.group.items;
  for (const call of calls) {
    if (call.type !== 'tool_call' || !isCounted(call)) continue;
    add(kinds, call.kind, -1);
    add(statuses, call.status, -1);
  }
}

function stretch(group: ShownGroup, segment: number, from: number, to: number): ShownGroup {
  const items = group.items.slice(from, to);
  const indices = items.map((_, i) => group.indices?.[from + i] ?? group.firstItem + from + i);
  const counts: Counts = { kinds: {}, statuses: {} };
  for (const item of items) {
    if (item.type !== 'tool_call' || !isCounted(item)) continue;
    add(counts.kinds, item.kind, 1);
    add(counts.statuses, item.status, 1);
  }
  return {
    type: 'tool-group',
    items,
    firstItem: 0,
    start: indices[0] ?? 0,
    indices,
    segments: items.map((_, i) => group.segments?.[from + i] ?? segment),
    kindCounts: counts.kinds,
    statusCounts: counts.statuses,
  };
}

function add(counts: Record<string, number>, key: string, by: number): void {
  const n = (counts[key] ?? 0) + by;
  if (n > 0) counts[key] = n;
  else delete counts[key];
}

/** Reports whether two ranges show the same. */
export function sameStretch(a: ShownGroup, b: ShownGroup): boolean {
  return (
    a.start !== undefined &&
    a.start === b.start &&
    a.items.length === b.items.length &&
    a.items.every((item, i) => item === b.items[i])
  );
}
