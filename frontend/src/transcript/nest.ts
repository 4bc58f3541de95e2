import type { DisplaySegment, Item, Message, Segment, TextSegment, ToolCall, ToolGroup } from './model';
import { isOpen, workedFor } from './model';
import { waitIntervalsOf } from './runs';
import { parentsIn } from './style';
import type { Permission, Status } from './types';
import { isCounted, isHidden } from './visibility';

// A transcript contains the output of sub-agents in the order in which it arrived, each piece with the id of its call.
// This module nests it under those calls. Pieces keep their order and nothing is lost: what belongs to an unknown call
// stays where it is, and so do calls that contain each other.

export type NestPiece =
  | { readonly type: 'text'; readonly segment: number; readonly texts: readonly TextSegment[] }
  | {
      readonly type: 'item';
      readonly segment: number;
      readonly index: number;
      readonly item: Item;
      readonly nest: Nest | undefined;
    }
  | { readonly type: 'display'; readonly segment: number; readonly display: DisplaySegment };

/** Everything nested under one call. The same object as long as nothing in it changes. */
export interface Nest {
  readonly parent: string;
  readonly pieces: readonly NestPiece[];
}

export interface Nesting {
  /** By the id of a call in memory. */
  readonly under: ReadonlyMap<string, Nest>;
  /** Contents of calls that are not in memory, with the segment and item at which each starts. */
  readonly strays: readonly { readonly nest: Nest; readonly segment: number }[];
  /** Segments and items that are nested elsewhere, and hidden calls. */
  readonly placed: ReadonlySet<Segment | Item>;
}

/** Deepest level that is drawn; everything below is shown on it. */
const deepest = 8;

interface Known {
  call: ToolCall;
  /** 0 if not nested; -1 while it is being computed. */
  level: number;
  /** The call under which its content is drawn. */
  home: ToolCall;
}

type Raw =
  | { type: 'text'; segment: number; texts: TextSegment[] }
  | { type: 'item'; segment: number; index: number; item: Item }
  | { type: 'display'; segment: number; display: DisplaySegment };

/**
 * Computes what is nested under the calls of a message, and what is hidden; null if nothing is. Thoughts are included
 * only on request.
 */
export function nestingOf(message: Message, thoughts = true, before: Nesting | null = null): Nesting | null {
  if (!message.segments.some(belongs)) return null;
  const known = new Map<string, Known>();
  for (const segment of message.segments) {
    if (segment.type !== 'tool-group') continue;
    for (const item of segment.items)
      if (item.type === 'tool_call') known.set(item.toolCallId, { call: item, level: -2, home: item });
  }
  for (const one of known.values()) level(one, known);

  const unheld =
    message.firstSegment > 0 || message.segments.some((s) => s.type === 'tool-group' && s.firstItem > 0);
  const raw = new Map<string, Raw[]>();
  const placed = new Set<Segment | Item>();
  const parents = parentsIn(message.segments);
  const put = (parent: string, what: Segment | Item, piece: Raw) => {
    const home = known.get(parent)?.home;
    if (home === undefined && !unheld) return;
    const key = home?.toolCallId ?? parent;
    const list = raw.get(key);
    placed.add(what);
    if (list === undefined) raw.set(key, [piece]);
    else {
      const last = list.at(-1);
      if (piece.type === 'text' && last?.type === 'text' && continuesSentence(last.texts.at(-1)))
        last.texts.push(...piece.texts);
      else list.push(piece);
    }
  };
  for (const [i, of] of message.segments.entries()) {
    const segment = message.firstSegment + i;
    if (of.type === 'tool-group') {
      for (const [j, item] of of.items.entries()) {
        const root =
          item.type === 'tool_call' &&
          known.get(item.toolCallId)?.level === 0 &&
          known.has(item.parentToolCallId);
        // A hidden call takes part in the order but is not drawn, unless something is nested under it.
        if (item.type === 'tool_call' && isHidden(item) && !parents.has(item.toolCallId)) {
          placed.add(item);
          continue;
        }
        if (item.parentToolCallId === '' || root) continue;
        if (item.type === 'thought' && !thoughts) {
          if (known.has(item.parentToolCallId) || unheld) placed.add(item);
          continue;
        }
        put(item.parentToolCallId, item, { type: 'item', segment, index: of.firstItem + j, item });
      }
    } else if (of.parentToolCallId !== '') {
      put(
        of.parentToolCallId,
        of,
        of.type === 'text'
          ? { type: 'text', segment, texts: [of] }
          : { type: 'display', segment, display: of },
      );
    }
  }

  const under = new Map<string, Nest>();
  const build = (parent: string): Nest | undefined => {
    const list = raw.get(parent);
    if (list === undefined) return undefined;
    const pieces = list.map(
      (piece): NestPiece =>
        piece.type === 'item'
          ? { ...piece, nest: piece.item.type === 'tool_call' ? build(piece.item.toolCallId) : undefined }
          : piece,
    );
    const old = before?.under.get(parent) ?? before?.strays.find(({ nest }) => nest.parent === parent)?.nest;
    const nest = old !== undefined && samePieces(old.pieces, pieces) ? old : { parent, pieces };
    if (known.has(parent)) under.set(parent, nest);
    return nest;
  };
  for (const [id, { call }] of known) if (!placed.has(call)) build(id);
  const strays = [...raw.keys()]
    .filter((id) => !known.has(id))
    .flatMap((id) => {
      const nest = build(id);
      return nest === undefined ? [] : [{ nest, segment: nest.pieces[0]?.segment ?? 0 }];
    });
  return { under, strays, placed };
}

/** Reports whether the text after an interruption may continue a text, because its sentence has not ended. */
export function continuesSentence(text: TextSegment | undefined): boolean {
  const end = text?.text.from(text.text.end - 2).join('') ?? '';
  return !/[.!?:…`]\s*$|\n\s*$/.test(end);
}

/** Reports whether something of a segment is drawn elsewhere. */
function belongs(segment: Segment): boolean {
  return segment.type === 'tool-group'
    ? segment.items.some(
        (item) => item.parentToolCallId !== '' || (item.type === 'tool_call' && isHidden(item)),
      )
    : segment.parentToolCallId !== '';
}

/** Computes the levels of a call and of its ancestors. Calls in a cycle are not nested. */
function level(from: Known, known: Map<string, Known>): void {
  const path: Known[] = [];
  let at: Known | undefined = from;
  while (at !== undefined && at.level === -2) {
    at.level = -1;
    path.push(at);
    at = known.get(at.call.parentToolCallId);
  }
  if (at?.level === -1) {
    const start = path.indexOf(at);
    for (const one of path.splice(start)) one.level = 0;
  }
  for (const one of path.reverse()) {
    const above = known.get(one.call.parentToolCallId);
    // Under a call that isn't in memory, it gets the next level.
    one.level = one.call.parentToolCallId === '' ? 0 : above === undefined ? 1 : above.level + 1;
    if (above !== undefined && one.level >= deepest) one.home = above.home;
  }
}

function samePieces(a: readonly NestPiece[], b: readonly NestPiece[]): boolean {
  return a.length === b.length && a.every((piece, i) => samePiece(piece, b[i] as NestPiece));
}

function samePiece(a: NestPiece, b: NestPiece): boolean {
  if (a.type === 'text')
    return (
      b.type === 'text' &&
      a.texts.length === b.texts.length &&
      a.texts.every((text, i) => text === b.texts[i])
    );
  if (a.type === 'item')
    return b.type === 'item' && a.item === b.item && a.nest === b.nest && a.index === b.index;
  return b.type === 'display' && a.display === b.display;
}

/** Number of hidden calls of a message, among those in memory. */
export function hiddenIn(nesting: Nesting | null): number {
  let n = 0;
  for (const one of nesting?.placed ?? []) if (one.type === 'tool_call' && isHidden(one)) n++;
  return n;
}

/** A group as it is drawn, without nested items. Indices are those in the whole group. */
export interface ShownGroup extends ToolGroup {
  readonly indices?: readonly number[];
  /** The segment of each item, if there are several. */
  readonly segments?: readonly number[];
  /** For a part of a group: its first item. Earlier ones are drawn elsewhere. */
  readonly start?: number;
  /** Number of its hidden calls, among those in memory. */
  readonly hidden?: number | undefined;
}

const shown = new WeakMap<ToolGroup, ShownGroup>();

/** Returns the group without the items drawn elsewhere; null if none is left. */
export function withoutPlaced(group: ToolGroup, placed: ReadonlySet<Segment | Item>): ShownGroup | null {
  if (!group.items.some((item) => placed.has(item))) return group;
  const indices: number[] = [];
  const items: Item[] = [];
  const kindCounts = { ...group.kindCounts };
  const statusCounts = { ...group.statusCounts };
  let hidden = 0;
  for (const [i, item] of group.items.entries()) {
    if (!placed.has(item)) {
      indices.push(group.firstItem + i);
      items.push(item);
    } else if (item.type === 'tool_call') {
      if (isHidden(item)) hidden++;
      if (!isCounted(item)) continue;
      less(kindCounts, item.kind);
      less(statusCounts, item.status);
    }
  }
  if (items.length === 0 && group.firstItem === 0) return null;
  const before = shown.get(group);
  if (
    before?.items.length === items.length &&
    before.hidden === hidden &&
    before.items.every((item, i) => item === items[i])
  )
    return before;
  const next: ShownGroup = { ...group, items, indices, kindCounts, statusCounts, hidden };
  shown.set(group, next);
  return next;
}

const joined = new WeakMap<ToolGroup, { with: ToolGroup; made: ShownGroup }>();

/** Joins two groups with nothing left between them. `at` has their segments. */
export function joinGroups(a: ShownGroup, b: ShownGroup, at: readonly [number, number]): ShownGroup {
  const before = joined.get(a);
  if (before?.with === b) return before.made;
  const indicesOf = (group: ShownGroup) => group.indices ?? group.items.map((_, i) => group.firstItem + i);
  const made: ShownGroup = {
    ...a,
    items: [...a.items, ...b.items],
    indices: [...indicesOf(a), ...indicesOf(b)],
    segments: [...(a.segments ?? a.items.map(() => at[0])), ...b.items.map(() => at[1])],
    hidden: (a.hidden ?? 0) + (b.hidden ?? 0),
    kindCounts: sum(a.kindCounts, b.kindCounts),
    statusCounts: sum(a.statusCounts, b.statusCounts),
  };
  joined.set(a, { with: b, made });
  return made;
}

function sum(
  a: Readonly<Record<string, number>>,
  b: Readonly<Record<string, number>>,
): Record<string, number> {
  const both = { ...a };
  for (const [key, n] of Object.entries(b)) both[key] = (both[key] ?? 0) + n;
  return both;
}

function less(counts: Record<string, number>, key: string): void {
  const n = (counts[key] ?? 0) - 1;
  if (n > 0) counts[key] = n;
  else delete counts[key];
}

/** The facts for the one-line summary of a nest. */
export interface NestFacts {
  calls: number;
  open: number;
  waiting: number;
  failed: number;
  /** Number of changed files, according to the calls' summary lines. */
  files: number;
  /** From the first start to the last end, excluding time spent waiting for the user. */
  tookMs: number;
}

const facts = new WeakMap<Nest, NestFacts>();

export function nestFacts(nest: Nest): NestFacts {
  const known = facts.get(nest);
  if (known !== undefined) return known;
  const files = new Set<string>();
  let from = Number.POSITIVE_INFINITY;
  let to = 0;
  const f = { calls: 0, open: 0, waiting: 0, failed: 0 };
  const requests: Permission[] = [];
  const visit = (one: Nest) => {
    for (const piece of one.pieces) {
      if (piece.type !== 'item') continue;
      const { item } = piece;
      if (item.startedAt > 0) from = Math.min(from, item.startedAt);
      if (item.type === 'thought') {
        to = Math.max(to, item.endedAt);
        continue;
      }
      f.calls++;
      requests.push(...item.permissions);
      if (isOpen(item.status)) f.open++;
      else to = Math.max(to, item.startedAt + (item.durationMs ?? 0));
      if (item.status === 'waiting') f.waiting++;
      if (item.status === 'failed') f.failed++;
      if (item.status === 'completed' && ['edit', 'delete', 'move'].includes(item.kind))
        files.add(fileOf(item));
      if (piece.nest !== undefined) visit(piece.nest);
    }
  };
  visit(nest);
  const told = {
    ...f,
    files: files.size,
    tookMs: workedFor({ waitIntervals: waitIntervalsOf(requests) }, from, to),
  };
  facts.set(nest, told);
  return told;
}

/** Returns the file that a call changed, from its summary line, because the rest may not be in memory. */
function fileOf(call: ToolCall): string {
  return /^\+\d+ −\d+ in (.+)$/.exec(call.summary)?.[1] ?? call.title;
}

export function nestStatus({ waiting, open, failed }: NestFacts, parent: Status | undefined): Status {
  if (waiting > 0) return 'waiting';
  if (open > 0) return 'running';
  if (parent !== undefined && !isOpen(parent)) return parent;
  return failed > 0 && parent === undefined ? 'failed' : parent === undefined ? 'completed' : 'running';
}

/** Returns the current activity in a nest: the last running call, otherwise the last text. */
export function latestOf(nest: Nest): ToolCall | readonly TextSegment[] | 'thought' | null {
  const running = runningCall(nest);
  if (running !== null) return running;
  const last = nest.pieces.at(-1);
  if (last?.type === 'text') return last.texts;
  if (last?.type !== 'item') return null;
  return last.item.type === 'thought' ? 'thought' : last.item;
}

function runningCall(nest: Nest): ToolCall | null {
  for (let i = nest.pieces.length - 1; i >= 0; i--) {
    const piece = nest.pieces[i];
    if (piece?.type !== 'item' || piece.item.type !== 'tool_call') continue;
    const inner = piece.nest === undefined ? null : runningCall(piece.nest);
    if (inner !== null) return inner;
    if (isOpen(piece.item.status)) return piece.item;
  }
  return null;
}

/** Returns the last line of the texts, as far as it is in memory. */
export function lastWords(texts: readonly TextSegment[]): string {
  const end = texts
    .slice(-8)
    .map(({ text }) => text.from(text.end - 40).join(''))
    .join('')
    .slice(-400);
  return (
    end
      .split('\n')
      .findLast((line) => line.trim() !== '')
      ?.trim() ?? ''
  );
}
