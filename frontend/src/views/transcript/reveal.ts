import type { Conversation, Message } from '../../transcript/model';
import type { Nest } from '../../transcript/nest';
import { contextScore, folded, matchesIn } from '../find/fold';
import type { SpotMark, Target } from '../find/spot';
import type { Disclosures } from './disclosure';
import type { Row } from './rows';

/** Where a location is rendered: a row, and the element with this data-at in it; empty for the row itself. */
export interface Drawn {
  row: number;
  inside: string;
}

interface Opener {
  disclosures: Disclosures;
  /** Reports whether the thoughts of a message are shown anywhere. */
  thinks(messageId: string): boolean;
  /** Shows the hidden calls of a message, or its hidden thoughts. */
  reveal(messageId: string, what: 'calls' | 'thoughts'): void;
}

/** Finds where a location is rendered, and opens what is closed around it; null if it is not rendered (yet). */
export function openTo(
  { place, mark, opens }: Target,
  { messages }: Conversation,
  rows: readonly Row[],
  { disclosures, thinks, reveal }: Opener,
): Drawn | null {
  const message = messages.find(({ id }) => id === place.messageId);
  const first = rows.findIndex((row) => 'message' in row && row.message.id === place.messageId);
  if (message === undefined || first < 0) return null;
  const own = ownRows(rows, first, message.id);
  const open = (key: string) => {
    if (opens) disclosures.set(key, true);
  };
  if (message.role === 'user') {
    if (mark !== null) open(message.id);
    return { row: first, inside: '' };
  }
  // A match in a message as a whole is in its error.
  const error = place.segment < 0 && mark !== null ? own.findIndex(({ kind }) => kind === 'error') : -1;
  if (place.segment < 0) return { row: first + Math.max(error, 0), inside: '' };
  const segment = message.segments[place.segment - message.firstSegment];
  if (segment?.type === 'text' && segment.parentToolCallId === '')
    return { row: first + proseRow(own, place.segment, segment.textStart, mark), inside: '' };

  const item = segment?.type === 'tool-group' ? segment.items[place.item - segment.firstItem] : undefined;
  // A group contains its thoughts even if they are not shown.
  if (item?.type === 'thought' && !thinks(message.id)) {
    if (opens) reveal(message.id, 'thoughts');
    return null;
  }
  const id = `${message.id}:${place.segment}${place.item < 0 ? '' : `:${place.item}`}`;
  const at = itemRow(own, message, place.segment, place.item);
  if (at !== null) {
    for (const key of at.keys) open(key);
    if (at.keys.length > 0 && at.group) disclosures.set(`${at.keys[0]}:failed`, false);
    if (place.item >= 0 && opensInside(mark)) open(id);
    return { row: first + at.row, inside: at.inside === '' ? '' : at.inside };
  }
  if (item !== undefined && opens) reveal(message.id, 'calls');
  return null;
}

/** The rows of a message, which are consecutive. */
function ownRows(rows: readonly Row[], first: number, messageId: string): Row[] {
  const own: Row[] = [];
  for (let i = first; i < rows.length; i++) {
    const row = rows[i] as Row;
    if (!('message' in row) || row.message.id !== messageId) break;
    own.push(row);
  }
  return own;
}

/**
 * Reports whether the match is in the hidden details of a closed call. When navigating to the call itself, the user
 * wants to see all of it.
 */
function opensInside(mark: SpotMark | null): boolean {
  return mark?.source !== 'title' && mark?.source !== 'summary';
}

interface At {
  row: number;
  /** What must be open, outermost first. */
  keys: string[];
  inside: string;
  group: boolean;
}

/** The row with an item of a group, or with a segment nested under a call. */
function itemRow(own: readonly Row[], message: Message, segment: number, item: number): At | null {
  const id = `${message.id}:${segment}${item < 0 ? '' : `:${item}`}`;
  const nestKey = (parent: string) => `${message.id}:nest:${parent}`;
  let unheld: At | null = null;
  for (const [i, row] of own.entries()) {
    if (row.kind === 'group') {
      const { group } = row;
      for (const [j, one] of group.items.entries()) {
        const at = group.segments?.[j] ?? row.segment;
        const index = group.indices?.[j] ?? group.firstItem + j;
        // A group without a specific item is a target as a whole.
        if (at === segment && (index === item || item < 0))
          return { row: i, keys: [row.key], inside: item < 0 ? '' : id, group: true };
        const path = row.nests[j] === undefined ? null : pathIn(row.nests[j], segment, item);
        if (path !== null && one.type === 'tool_call')
          return {
            row: i,
            keys: [row.key, ...path.parents.map(nestKey)],
            inside: `${message.id}:${path.at}`,
            group: true,
          };
      }
      const start = group.start ?? 0;
      if (row.segment === segment && start <= item && item < group.firstItem)
        unheld = { row: i, keys: [row.key], inside: id, group: true };
    } else if (row.kind === 'shown') {
      if (row.segment === segment && (row.item === item || item < 0))
        return { row: i, keys: [], inside: '', group: false };
      const path = row.nest === undefined ? null : pathIn(row.nest, segment, item);
      if (path !== null)
        return { row: i, keys: path.parents.map(nestKey), inside: `${message.id}:${path.at}`, group: false };
    } else if (row.kind === 'nest') {
      const path = pathIn(row.nest, segment, item);
      if (path !== null)
        return { row: i, keys: path.parents.map(nestKey), inside: `${message.id}:${path.at}`, group: false };
    } else if (row.kind === 'thoughts') {
      if (row.thoughts.some((one) => one.segment === segment && one.item === item))
        return { row: i, keys: [], inside: id, group: false };
    } else if (row.kind === 'display' && row.at === segment) {
      return { row: i, keys: [], inside: '', group: false };
    }
  }
  return unheld;
}

interface Path {
  /** Its parent calls, outermost first. */
  parents: string[];
  /** The segment, with the item if there is one, that it is rendered as. */
  at: string;
}

function pathIn(nest: Nest, segment: number, item: number): Path | null {
  for (const [i, piece] of nest.pieces.entries()) {
    if (piece.type === 'item') {
      if (piece.segment === segment && (piece.index === item || item < 0))
        return { parents: [nest.parent], at: `${segment}:${piece.index}` };
      const deeper = piece.nest === undefined ? null : pathIn(piece.nest, segment, item);
      if (deeper !== null) return { ...deeper, parents: [nest.parent, ...deeper.parents] };
      continue;
    }
    // Texts rendered as one have the location of the first.
    const next = nest.pieces.slice(i + 1).find(({ type }) => type === 'text');
    const joined = piece.type === 'text' ? piece.texts.length : 1;
    const covers =
      piece.segment === segment ||
      (joined > 1 && piece.segment < segment && (next === undefined || segment < next.segment));
    if (item < 0 && covers) return { parents: [nest.parent], at: `${piece.segment}` };
  }
  return null;
}

/** The row of a text with a match: a long text has a row per few blocks. */
function proseRow(own: readonly Row[], segment: number, textStart: number, mark: SpotMark | null): number {
  const starts = own.flatMap((row) => (row.kind === 'prose' && row.segment <= segment ? [row.segment] : []));
  const piece = Math.max(...starts, -1);
  const earlier = own.findIndex((row) => row.kind === 'earlier' && row.segment === segment);
  if (earlier >= 0 && mark?.start !== undefined && mark.start < textStart) return earlier;
  let best = own.findIndex((row) => row.kind === 'prose' && row.segment === piece);
  if (mark === null || best < 0) return Math.max(best, 0);
  const query = folded(mark.query);
  let how = 0;
  for (const [i, row] of own.entries()) {
    if (row.kind !== 'prose' || row.segment !== piece) continue;
    for (const block of row.document.group(row.group)?.blocks ?? []) {
      const text = 'source' in block ? block.source : block.pieces.join('');
      for (const { from, to } of matchesIn(text, query)) {
        const now = contextScore(text.slice(Math.max(0, from - 80), from), text.slice(to, to + 80), mark);
        if (now <= how) continue;
        best = i;
        how = now;
        for (const fold of block.within) row.document.context.folds.set(fold, true);
      }
    }
  }
  return best;
}
