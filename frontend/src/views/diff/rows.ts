// Converts a diff to uniform rows for a virtual list. Independent of React.
import type { ChangeDiff, ChangeHunk } from '../../transport/api';
import { compared } from './compare';

export type Side = 'old' | 'new';

/** One line on one side, by its index from 0. */
export interface Cell {
  type: 'same' | 'removed' | 'added';
  side: Side;
  line: number;
  /** The line on the other side that it replaces or is replaced by. */
  twin: number | null;
}

export type Row =
  | { kind: 'hunk'; hunk: number }
  | { kind: 'line'; cell: Cell; hunk: number | null }
  | { kind: 'pair'; left: Cell | null; right: Cell | null; hunk: number | null }
  | { kind: 'fold'; from: number; lines: number }
  | { kind: 'label'; what: 'before' | 'agentLeft' | 'now'; hunk: number }
  | { kind: 'now'; text: string; line: number; hunk: number };

/** Both sides of a diff, split into lines. */
export interface Sides {
  old: readonly string[];
  new: readonly string[];
  hunks: readonly ChangeHunk[];
  /** The number of the first line, if that is not 1. */
  first?: number;
}

/** The number of the first changed line in the new text: 0 if there is none, `null` while the texts are being loaded. */
export function firstChanged(sides: Sides | null): number | null {
  if (sides === null) return null;
  const start = sides.hunks[0]?.newStart;
  return start === undefined ? 0 : start + (sides.first ?? 1) - 1;
}

const context = 3;

/** Splits a text after each line feed, as the backend does. */
export function linesOf(text: string): string[] {
  const lines = text.split('\n');
  const last = lines.pop() ?? '';
  const out = lines.map((line) => `${line}\n`);
  if (last !== '') out.push(last);
  return out;
}

export function sidesOf(diff: ChangeDiff): Sides {
  const after = linesOf(diff.text);
  const hunks = diff.hunks ?? [];
  const before: string[] = [];
  let at = 0;
  for (const hunk of hunks) {
    const start = hunk.newStart - 1;
    for (; at < start; at++) before.push(after[at] ?? '');
    for (const line of linesOf(hunk.old)) before.push(line);
    at = start + hunk.newLines;
  }
  for (; at < after.length; at++) before.push(after[at] ?? '');
  return { old: before, new: after, hunks };
}

/** Compares two texts line by line; `first` is the number of their first line. */
export function sidesBetween(oldText: string, newText: string, first = 1): Sides {
  const before = linesOf(oldText);
  const after = linesOf(newText);
  const hunks: ChangeHunk[] = [];
  let x = 0;
  let y = 0;
  let open: ChangeHunk | null = null;
  for (const type of compared(before, after)) {
    if (type === 'same') {
      open = null;
      x++;
      y++;
      continue;
    }
    if (open === null) {
      open = {
        oldStart: x + 1,
        newStart: y + 1,
        newLines: 0,
        old: '',
        conflict: false,
        now: '',
        nowStart: 0,
      };
      hunks.push(open);
    }
    if (type === 'removed') open.old += before[x++] ?? '';
    else {
      open.newLines++;
      y++;
    }
  }
  return { old: before, new: after, hunks, first };
}

/** Whether a missing line break at the end matters: not if both sides are excerpts that lack it. */
export function lineEndMatters({ old, new: after }: Sides): boolean {
  return [old, after].some((lines) => lines.length === 0 || lines.at(-1)?.endsWith('\n') === true);
}

/** A range of consecutive lines of one side that are not shown. */
export interface CollapsedRows {
  kind: 'rest';
  type: 'removed' | 'added';
  from: number;
  lines: number;
  chars: number;
}

/**
 * In a single column, a long run of removed lines pushes the added ones out of sight, so only the start of each is
 * shown, with a count of the rest. `open` contains the expanded ones, by their first row.
 */
export function shortened(
  rows: readonly Row[],
  sides: Sides,
  most: number,
  open: ReadonlySet<number>,
): (Row | CollapsedRows)[] {
  const out: (Row | CollapsedRows)[] = [];
  for (let i = 0; i < rows.length; ) {
    const type = typeOf(rows[i]);
    let end = i + 1;
    while (type !== null && typeOf(rows[end]) === type) end++;
    const from = i + most;
    // Hiding one or two lines would save no space.
    if (type === null || end - from < 3 || open.has(from)) out.push(...rows.slice(i, end));
    else {
      out.push(...rows.slice(i, from));
      let chars = 0;
      for (const row of rows.slice(from, end))
        if (row.kind === 'line') chars += sides[row.cell.side][row.cell.line]?.length ?? 0;
      out.push({ kind: 'rest', type, from, lines: end - from, chars });
    }
    i = end;
  }
  return out;
}

function typeOf(row: Row | undefined): 'removed' | 'added' | null {
  return row?.kind === 'line' && row.cell.type !== 'same' ? row.cell.type : null;
}

/** The rows of a diff. `open` contains the expanded folds, by their first new line. */
export function rowsOf(sides: Sides, split: boolean, open: ReadonlySet<number>): Row[] {
  const rows: Row[] = [];
  let oldAt = 0;
  let newAt = 0;
  const same = (until: number, first: boolean, last: boolean) => {
    const from = newAt;
    const head = first ? from : Math.min(until, from + context);
    const tail = last ? until : Math.max(head, until - context);
    const hidden = tail - head;
    for (; newAt < until; newAt++, oldAt++) {
      if (newAt === head && hidden > 1 && !open.has(head)) {
        rows.push({ kind: 'fold', from: head, lines: hidden });
        newAt += hidden - 1;
        oldAt += hidden - 1;
        continue;
      }
      const right: Cell = { type: 'same', side: 'new', line: newAt, twin: oldAt };
      if (split) {
        const left: Cell = { type: 'same', side: 'old', line: oldAt, twin: newAt };
        rows.push({ kind: 'pair', left, right, hunk: null });
      } else rows.push({ kind: 'line', cell: right, hunk: null });
    }
  };
  sides.hunks.forEach((hunk, i) => {
    same(hunk.newStart - 1, i === 0, false);
    rows.push({ kind: 'hunk', hunk: i });
    const removed = linesOf(hunk.old).length;
    const added = hunk.newLines;
    const cell = (type: 'removed' | 'added', n: number): Cell => {
      const twin = n < Math.min(removed, added);
      return type === 'removed'
        ? { type, side: 'old', line: oldAt + n, twin: twin ? newAt + n : null }
        : { type, side: 'new', line: newAt + n, twin: twin ? oldAt + n : null };
    };
    if (hunk.conflict && removed > 0) rows.push({ kind: 'label', what: 'before', hunk: i });
    if (split && !hunk.conflict) {
      for (let n = 0; n < Math.max(removed, added); n++) {
        const left = n < removed ? cell('removed', n) : null;
        const right = n < added ? cell('added', n) : null;
        rows.push({ kind: 'pair', left, right, hunk: i });
      }
    } else {
      for (let n = 0; n < removed; n++) rows.push({ kind: 'line', cell: cell('removed', n), hunk: i });
      if (hunk.conflict && added > 0) rows.push({ kind: 'label', what: 'agentLeft', hunk: i });
      for (let n = 0; n < added; n++) rows.push({ kind: 'line', cell: cell('added', n), hunk: i });
    }
    if (hunk.conflict) {
      rows.push({ kind: 'label', what: 'now', hunk: i });
      linesOf(hunk.now).forEach((text, n) => {
        rows.push({ kind: 'now', text, line: hunk.nowStart + n, hunk: i });
      });
    }
    oldAt += removed;
    newAt += added;
  });
  same(sides.new.length, sides.hunks.length === 0, true);
  return rows;
}

/** The rows of a diff to read: its lines have numbers, so a hunk needs no heading. */
export const plainRowsOf = (sides: Sides, split: boolean, open: ReadonlySet<number>): Row[] =>
  rowsOf(sides, split, open).filter(({ kind }) => kind !== 'hunk');
