import type { MarkdownDocument } from '../../markdown';
import { partsOf, sameStretch } from '../../transcript/displays';
import { openCount } from '../../transcript/labels';
import {
  type Conversation,
  type DisplaySegment,
  type Message,
  memberOf,
  runOf,
  type Segment,
  type TextSegment,
  type Thought,
  type ToolCall,
  type ToolGroup,
} from '../../transcript/model';
import {
  continuesSentence,
  hiddenIn,
  joinGroups,
  type Nest,
  type Nesting,
  nestFacts,
  nestingOf,
  type ShownGroup,
  withoutPlaced,
} from '../../transcript/nest';
import { type Style, styled, unstyled } from '../../transcript/style';
import type { Failure } from '../../transcript/types';
import type { Appearance, SpacePlace } from '../../transport/api';
import { textShown } from './notes';
import type { ProseDocuments } from './prose';

// Converts a transcript to rows of the virtual list. A row keeps its key, and stays the same object while it shows the
// same.

interface Base {
  key: string;
  message: Message;
}
export type Row =
  | (Base & { kind: 'prompt' })
  | (Base & { kind: 'header'; live: boolean /** The same run goes on speaking. */; follows: boolean })
  | (Base & {
      kind: 'prose';
      document: MarkdownDocument;
      /** Key of its group in the document. The row stays the same while the group grows. */
      group: string;
      /** The first segment of the text it belongs to. */
      segment: number;
      cursor: boolean;
      /**
       * "user": the user's words repeated by the agent; "app": a note of Weft; "notice": what the agent says before it
       * was asked anything, or marks as a notice.
       */
      voice: string;
    })
  | (Base & { kind: 'earlier'; segment: number; bytes: number })
  | (Base & {
      kind: 'group';
      segment: number;
      group: ShownGroup;
      growing: boolean;
      /** Other messages follow, so failures are no longer highlighted. */
      past: boolean;
      /** What is nested under its calls, in the order of its items. */
      nests: readonly (Nest | undefined)[];
    })
  /** The work of a sub-agent whose call is not in memory. */
  | (Base & { kind: 'nest'; nest: Nest })
  | (Base & { kind: 'thoughts'; thoughts: readonly PlacedThought[] })
  | (Base & { kind: 'display'; segment: DisplaySegment; at: number })
  /** A call that is rendered as a component. */
  | (Base & { kind: 'shown'; call: ToolCall; segment: number; item: number; nest: Nest | undefined })
  /** The number of hidden calls of the message, or of those shown although hidden. */
  | (Base & { kind: 'hidden'; calls: number; shown: boolean })
  | (Base & { kind: 'working' })
  | (Base & { kind: 'tail' })
  | (Base & { kind: 'opaque' })
  | (Base & { kind: 'error'; failure: Failure; last: boolean })
  | (Base & { kind: 'end'; stopReason: string })
  /** What its run did, once it has ended. */
  | (Base & { kind: 'footer' })
  | { key: string; kind: 'space-error'; failure: Failure };

/** A thought with its location in the message. */
export interface PlacedThought {
  thought: Thought;
  segment: number;
  item: number;
}

/** The location of a row. */
export function placeOf(row: Exclude<Row, { kind: 'space-error' }>): SpacePlace {
  const messageId = row.message.id;
  if (row.kind === 'shown') return { messageId, segment: row.segment, item: row.item };
  const segment = row.kind === 'display' ? row.at : 'segment' in row ? row.segment : -1;
  return { messageId, segment: typeof segment === 'number' ? segment : -1, item: -1 };
}

/** Reports whether a piece is a note of Weft, or a notice of the agent. */
function isNote(piece: Piece): boolean {
  return piece.type === 'text' && ['app', 'notice'].includes(piece.segments[0]?.author ?? '');
}

/** Rows after all segments of their message. */
const lastRows: ReadonlySet<Row['kind']> = new Set(['tail', 'working', 'opaque', 'error', 'end', 'footer']);

/** The reading position for a row: its location, or the end of the message for rows after all segments. */
export function readAt(row: Exclude<Row, { kind: 'space-error' }>): SpacePlace {
  const place = placeOf(row);
  return lastRows.has(row.kind) ? { ...place, segment: Number.MAX_SAFE_INTEGER } : place;
}

type Thoughts = Appearance['thoughts'];

/** State outside of a message that affects its rows. */
interface MessageContext {
  /** It is being written. */
  live: boolean;
  last: boolean;
  /** The previous message is of the same run. */
  follows: boolean;
  /** It may continue beyond the loaded range, so its end is not shown. */
  open: boolean;
}

interface Made extends MessageContext {
  message: Message;
  version: number;
  rows: Row[];
  nesting: Nesting | null;
}

/** Creates rows, and only recreates those of messages that changed. */
export class RowMaker {
  private made = new Map<string, Made>();
  private thoughts: Thoughts = 'in-place';
  private style: Style = unstyled;
  private version = 0;
  private readonly prose: ProseDocuments;
  /** The rows of a document, by group key. */
  private readonly drawn = new WeakMap<MarkdownDocument, Map<string, Prose>>();
  private last: Row[] = [];

  constructor(prose: ProseDocuments) {
    this.prose = prose;
  }

  /** A document has more content although its message hasn't changed. */
  invalidate(): void {
    this.version++;
  }

  /** The rows of a conversation: the same array as before if all of them are the same. */
  rows(conversation: Conversation, thoughts: Thoughts, style: Style = unstyled): readonly Row[] {
    if (thoughts !== this.thoughts) {
      this.thoughts = thoughts;
      this.made.clear();
    }
    if (style !== this.style) {
      this.style = style;
      this.version++;
    }
    const out: Row[] = [];
    const made = new Map<string, Made>();
    const newest = newestOf(conversation.messages);
    let previous: Message | undefined;
    for (const message of conversation.messages) {
      const last = newest.has(message);
      const live = message.role === 'agent' && runOf(conversation, message) !== undefined;
      const follows = message.runId !== '' && previous?.role === 'agent' && previous.runId === message.runId;
      previous = message;
      const open = conversation.hasAfter && message === conversation.messages.at(-1);
      const before = this.made.get(message.id);
      const same =
        before?.message === message &&
        before.live === live &&
        before.last === last &&
        before.follows === follows &&
        before.open === open &&
        before.version === this.version;
      const one = same ? before : this.make(message, { live, last, follows, open }, before);
      made.set(message.id, one);
      for (const row of one.rows) out.push(row);
    }
    this.made = made;
    const { error } = conversation;
    if (error !== null) {
      const old = this.last.at(-1);
      const same = old?.kind === 'space-error' && old.failure === error;
      out.push(same ? old : { key: 'space-error', kind: 'space-error', failure: error });
    }
    if (!sameList(this.last, out)) this.last = out;
    return this.last;
  }

  private make(message: Message, standing: MessageContext, before: Made | undefined): Made {
    const drawn = styled(message, this.style);
    const nesting = nestingOf(drawn, this.thinksInPlace(message), before?.nesting ?? null);
    const rows = this.merge(before?.rows, this.messageRows(drawn, standing, nesting));
    return { message, ...standing, version: this.version, rows, nesting };
  }

  /** Reports whether the thoughts of a message are shown in place. */
  private thinksInPlace({ id }: Message): boolean {
    return this.thoughts === 'in-place' || (this.thoughts === 'hidden' && this.style.thinking.has(id));
  }

  /** Keeps row objects that show the same as before. */
  private merge(before: Row[] | undefined, after: Row[]): Row[] {
    if (before === undefined) return after;
    const known = new Map(before.map((row) => [row.key, row]));
    return after.map((row) => {
      const old = known.get(row.key);
      return old !== undefined && sameRow(old, row) ? old : row;
    });
  }

  private messageRows(
    message: Message,
    { live, last, follows, open }: MessageContext,
    nesting: Nesting | null,
  ): Row[] {
    if (message.role === 'user') return [{ key: message.id, kind: 'prompt', message }];
    const rows: Row[] = [];
    if (message.firstSegment === 0)
      rows.push({ key: `${message.id}:head`, kind: 'header', message, live, follows });
    if (this.thoughts === 'top') {
      const thoughts = thoughtsOf(message);
      if (thoughts.length > 0)
        rows.push({ key: `${message.id}:thoughts`, kind: 'thoughts', message, thoughts });
    }
    const pieces = this.pieces(message, nesting);
    // Behind nothing but notes, a row of its own shows that the agent works.
    const working = live && pieces.every(isNote);
    for (const [i, piece] of pieces.entries()) {
      const isLast = !working && i === pieces.length - 1;
      this.pieceRows(rows, message, piece, isLast, live, !last, nesting);
    }
    const tail = rows.at(-1);
    const shown = this.style.revealed.has(message.id);
    const hidden = shown ? revealedIn(message) : hiddenIn(nesting);
    if (hidden > 0) rows.push({ key: `${message.id}:hidden`, kind: 'hidden', message, calls: hidden, shown });
    if (open) return rows;
    if (live) {
      if (working) rows.push({ key: `${message.id}:working`, kind: 'working', message });
      else if (tail?.kind !== 'prose') rows.push({ key: `${message.id}:tail`, kind: 'tail', message });
    }
    if (message.opaque.length > 0) rows.push({ key: `${message.id}:opaque`, kind: 'opaque', message });
    if (message.error !== undefined) {
      rows.push({ key: `${message.id}:error`, kind: 'error', message, failure: message.error, last });
    }
    const { stopReason } = message;
    const plain = stopReason === '' || stopReason === 'end_turn';
    if (!plain && message.error === undefined)
      rows.push({ key: `${message.id}:end`, kind: 'end', message, stopReason });
    // A message without an end is still being written, or older than runs in Weft.
    if (message.runId !== '' && !live && message.endedAt > 0)
      rows.push({ key: `${message.id}:footer`, kind: 'footer', message });
    return rows;
  }

  /**
   * Segments without nested ones, and without thoughts unless they are shown in place. Texts with nothing left between
   * them are joined.
   */
  private pieces(message: Message, nesting: Nesting | null): Piece[] {
    const inPlace = this.thinksInPlace(message);
    const pieces: Piece[] = [];
    let joinable = false;
    for (const [i, segment] of message.segments.entries()) {
      const index = message.firstSegment + i;
      for (const { nest, segment: at } of nesting?.strays ?? [])
        if (at === index) pieces.push({ type: 'nest', index, nest });
      if (nesting?.placed.has(segment) === true) {
        joinable = true;
      } else if (segment.type === 'text') {
        const before = pieces.at(-1);
        const joins =
          before?.type === 'text' &&
          joinable &&
          (!inPlace || continuesSentence(before.segments.at(-1))) &&
          sameVoice(before.segments[0], segment);
        if (joins) before.segments.push(segment);
        else pieces.push({ type: 'text', index, segments: [segment] });
        joinable = false;
      } else if (segment.type === 'tool-group') {
        const left = nesting === null ? segment : withoutPlaced(segment, nesting.placed);
        const group = left === null || inPlace ? left : withoutThoughts(left);
        const before = pieces.at(-1);
        if (group === null) {
          joinable ||= before !== undefined;
        } else if (joinable && before?.type === 'group' && group.firstItem === 0) {
          before.group = joinGroups(before.group, group, [before.index, index]);
        } else {
          pieces.push({ type: 'group', index, group });
          joinable = false;
        }
      } else {
        pieces.push({ type: 'display', index, segment });
      }
    }
    return pieces.flatMap((piece) => {
      const parts = piece.type === 'group' ? partsOf(piece.group, piece.index) : null;
      if (parts === null) return [piece];
      const thinks = (group: ShownGroup) => !inPlace && withoutThoughts(group) === null;
      return parts
        .filter((part) => part.type === 'shown' || !thinks(part.group))
        .map((part): Piece => ({ ...part, index: piece.index }));
    });
  }

  private pieceRows(
    rows: Row[],
    message: Message,
    piece: Piece,
    last: boolean,
    live: boolean,
    past: boolean,
    nesting: Nesting | null,
  ): void {
    const key = `${message.id}:${piece.index}`;
    if (piece.type === 'nest') {
      rows.push({ key: `${key}:nest:${piece.nest.parent}`, kind: 'nest', message, nest: piece.nest });
    } else if (piece.type === 'group') {
      const { group } = piece;
      const nests =
        nesting === null
          ? none
          : group.items.map((item) =>
              item.type === 'tool_call' ? nesting.under.get(item.toolCallId) : undefined,
            );
      const within = nests.some((nest) => nest !== undefined && nestFacts(nest).open > 0);
      const growing = live && (last || openCount(group) > 0 || within);
      const { start = 0, segments } = group;
      // What precedes a display keeps its key when the display arrives.
      const own = start === 0 ? key : `${message.id}:${segments?.[0] ?? piece.index}:from-${start}`;
      rows.push({ key: own, kind: 'group', message, segment: piece.index, group, growing, past, nests });
    } else if (piece.type === 'shown') {
      const { call, segment, item } = piece;
      const nest = nesting?.under.get(call.toolCallId);
      rows.push({
        key: `${message.id}:${segment}:${item}:shown`,
        kind: 'shown',
        message,
        call,
        segment,
        item,
        nest,
      });
    } else if (piece.type === 'display') {
      rows.push({ key, kind: 'display', message, segment: piece.segment, at: piece.index });
    } else {
      const first = piece.segments[0] as TextSegment;
      if (first.textStart > 0) {
        rows.push({
          key: `${key}:earlier`,
          kind: 'earlier',
          message,
          segment: piece.index,
          bytes: first.textStart,
        });
      }
      const texts = piece.segments.map(textShown);
      const document = this.prose.of(texts, !(live && last));
      const { groups } = document.getSnapshot();
      for (const [i, group] of groups.entries()) {
        const cursor = live && last && i === groups.length - 1;
        rows.push(
          this.proseRow(`${key}:${group.key}`, message, piece.index, first, document, group.key, cursor),
        );
      }
    }
  }

  /** The row for a group of a long text: nearly always the previous one. */
  private proseRow(
    key: string,
    message: Message,
    segment: number,
    text: TextSegment,
    document: MarkdownDocument,
    group: string,
    cursor: boolean,
  ): Prose {
    let drawn = this.drawn.get(document);
    if (drawn === undefined) {
      drawn = new Map();
      this.drawn.set(document, drawn);
    }
    const old = drawn.get(group);
    const same =
      old?.key === key &&
      old.cursor === cursor &&
      old.voice === text.author &&
      old.message.ord === message.ord;
    if (same) return old;
    const row: Prose = {
      ...{ key, kind: 'prose', message, document, group, segment, cursor },
      voice: text.author,
    };
    drawn.set(group, row);
    return row;
  }
}

/** The last messages: the last one of each member that no user message follows. */
function newestOf(messages: readonly Message[]): ReadonlySet<Message> {
  const out = new Set<Message>();
  const members = new Set<string>();
  for (let i = messages.length - 1; i >= 0; i--) {
    const message = messages[i] as Message;
    if (message.role === 'user') {
      if (i === messages.length - 1) out.add(message);
      break;
    }
    const memberId = memberOf(message.author);
    if (!members.has(memberId)) out.add(message);
    members.add(memberId);
  }
  return out;
}

type Prose = Row & { kind: 'prose' };

type Piece =
  | { type: 'text'; index: number; segments: TextSegment[] }
  | { type: 'group'; index: number; group: ShownGroup }
  | { type: 'shown'; index: number; call: ToolCall; segment: number; item: number }
  | { type: 'nest'; index: number; nest: Nest }
  | { type: 'display'; index: number; segment: DisplaySegment };

function sameVoice(a: Segment | undefined, b: TextSegment): boolean {
  return a?.type === 'text' && a.author === b.author && a.parentToolCallId === b.parentToolCallId;
}

function thoughtsOf({ segments, firstSegment }: Message): PlacedThought[] {
  return segments.flatMap((segment, i) =>
    segment.type !== 'tool-group'
      ? []
      : segment.items.flatMap((item, j) =>
          item.type === 'thought'
            ? [{ thought: item, segment: firstSegment + i, item: segment.firstItem + j }]
            : [],
        ),
  );
}

/** Number of calls shown although they are hidden. */
function revealedIn({ segments }: Message): number {
  let n = 0;
  for (const segment of segments) {
    if (segment.type !== 'tool-group') continue;
    for (const item of segment.items) if (item.type === 'tool_call' && item.revealed === true) n++;
  }
  return n;
}

/** A group of thoughts only disappears unless thoughts are shown in place. */
function withoutThoughts(group: ToolGroup): ToolGroup | null {
  return group.firstItem > 0 || group.items.some((item) => item.type === 'tool_call') ? group : null;
}

/** The message properties that each kind of row depends on; the other kinds contain their part of the message. */
const shown: Partial<Record<Row['kind'], readonly (keyof Message)[] | 'all'>> = {
  prompt: 'all',
  header: ['author', 'model', 'createdAt', 'endedAt', 'runId'],
  opaque: ['opaque'],
  footer: 'all',
};
const none: readonly undefined[] = [];

function sameRow(a: Row, b: Row): boolean {
  if (a === b) return true;
  const before = a as unknown as Record<string, unknown>;
  for (const [field, value] of Object.entries(b)) {
    if (before[field] === value) continue;
    if (field === 'message' && sameMessage(b.kind, before[field] as Message, value as Message)) continue;
    const same =
      (field === 'nests' && sameList(before[field], value)) ||
      (a.kind === 'group' && b.kind === 'group' && field === 'group' && sameStretch(a.group, b.group));
    if (!same) return false;
  }
  return Object.keys(a).length === Object.keys(b).length;
}

function sameMessage(kind: Row['kind'], a: Message, b: Message): boolean {
  const fields = shown[kind] ?? [];
  return fields !== 'all' && a.ord === b.ord && fields.every((field) => a[field] === b[field]);
}

function sameList(a: unknown, b: unknown): boolean {
  return Array.isArray(a) && Array.isArray(b) && a.length === b.length && a.every((one, i) => one === b[i]);
}
