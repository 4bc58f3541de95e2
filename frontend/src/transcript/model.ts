import type { Drawing } from './drawing';
import type { GrowingText } from './text';
import type {
  Author,
  Content,
  Failure,
  Json,
  Location,
  Opaque,
  Permission,
  Ref,
  Role,
  Status,
  TerminalExit,
} from './types';
import type { Writing } from './writing';

// A transcript as the frontend holds it: a window of messages and segments. Objects are
// replaced when they change and shared when they do not, so `===` tells whether to draw again.
// Indices of segments and items are those of the whole message; the window starts at
// firstSegment and firstItem.

export interface TextSegment {
  readonly type: 'text';
  readonly author: string;
  readonly parentToolCallId: string;
  readonly text: GrowingText;
  /** Length of the text when this object was made: growing text replaces it. */
  readonly length: number;
  /** Bytes of text before it that are not held. */
  readonly textStart: number;
}

export interface Thought {
  readonly type: 'thought';
  readonly text: GrowingText;
  readonly length: number;
  readonly parentToolCallId: string;
  readonly startedAt: number;
  readonly endedAt: number;
}

/** A command that Weft runs for the agent. Places in its output are bytes. */
export interface Terminal {
  readonly id: string;
  readonly command: string;
  readonly startedAt: number;
  readonly running: boolean;
  readonly exit: TerminalExit;
  readonly durationMs?: number | undefined;
  /** What is held of the streamed output: from `start` to `end`. */
  readonly text?: GrowingText | undefined;
  readonly start: number;
  readonly end: number;
  /** Bytes of the whole output, once it has ended. */
  readonly size: number;
  /** Its end, where what was streamed is not all of it. */
  readonly ref?: Ref | undefined;
}

export interface ToolCall {
  readonly type: 'tool_call';
  readonly toolCallId: string;
  readonly toolName: string;
  /** The agent told no name: it is made from the title or the kind. */
  readonly toolNameDerived?: true | undefined;
  readonly title: string;
  readonly titleRef?: Ref | undefined;
  readonly kind: string;
  readonly status: Status;
  readonly parentToolCallId: string;
  readonly startedAt: number;
  /** Left out for a call that is drawn in full. */
  readonly visibility?: 'minimal' | 'hidden' | undefined;
  /** Of a call that is drawn otherwise than the backend tells it: that call. See style.ts. */
  readonly told?: ToolCall | undefined;
  /** It is hidden, and drawn because the user asked for that. */
  readonly revealed?: true | undefined;
  /** How a display is drawn and who asks with it, as the backend tells it. */
  readonly drawn?: Json | undefined;
  readonly input?: Json | undefined;
  readonly inputRef?: Ref | undefined;
  readonly inputText?: GrowingText | undefined;
  /** What can be read of the input while it is written; it grows in place, like the text. */
  readonly writing?: Writing | undefined;
  /** Of a display, the value of its input as far as it is written; grows in place, too. */
  readonly drawing?: Drawing | undefined;
  readonly content?: readonly Content[] | undefined;
  readonly contentRef?: Ref | undefined;
  readonly locations?: readonly Location[] | undefined;
  readonly locationsRef?: Ref | undefined;
  /** Its first diff, where that was let go or is on no page, and it has no locations. */
  readonly place?: Location | undefined;
  readonly output?: Json | undefined;
  readonly outputRef?: Ref | undefined;
  readonly outputText?: GrowingText | undefined;
  /** Bytes of the output before that text that are not held. */
  readonly outputStart: number;
  readonly terminals: readonly Terminal[];
  /** The end of a terminal that is only shown. */
  readonly exit?: TerminalExit | undefined;
  /** Whether input, content and output are here. A call from a page brings only its line. */
  readonly whole: boolean;
  /** Grows with every streamed piece, so that a call whose text grew is another object. */
  readonly grown: number;
  readonly summary: string;
  readonly resultCount?: number | undefined;
  readonly durationMs?: number | undefined;
  readonly error: string;
  readonly retryable: boolean;
  readonly wasRetried: boolean;
  /** What the agent reported, where the call's own result says otherwise. */
  readonly reported?: Status | undefined;
  readonly permissions: readonly Permission[];
}

/** The kind of the calls that draw a component in the message instead of being a line of a group. */
export const displayKind = 'display';

export type Item = Thought | ToolCall;

export interface ToolGroup {
  readonly type: 'tool-group';
  readonly items: readonly Item[];
  readonly firstItem: number;
  /** Of all calls of the group that count as steps, also those not held. */
  readonly kindCounts: Readonly<Record<string, number>>;
  readonly statusCounts: Readonly<Record<string, number>>;
}

export interface DisplaySegment {
  readonly type: 'display';
  readonly display: Content;
  readonly author: string;
  readonly parentToolCallId: string;
}

export type Segment = TextSegment | ToolGroup | DisplaySegment;

export interface Message {
  readonly id: string;
  /** Place in the space as the store counts it; -1 for one that came as events only. */
  readonly ord: number;
  readonly runId: string;
  readonly role: Role;
  readonly author: Author;
  readonly model: string;
  readonly createdAt: number;
  /** 0 while it is being written. */
  readonly endedAt: number;
  readonly stopReason: string;
  readonly usage?: Json | undefined;
  readonly error?: Failure | undefined;
  readonly segments: readonly Segment[];
  readonly firstSegment: number;
  readonly opaque: readonly Opaque[];
}

export interface Run {
  readonly id: string;
  readonly agentId: string;
  readonly memberId: string;
  readonly startedAt: number;
  readonly stopping: boolean;
  /** The space that it works in where that is another one, and it only writes to this one; else empty. */
  readonly home: string;
  /** The requests for the user that are open in this space. */
  readonly waitsFor: readonly string[];
  /** When it has waited for the user, as far as this window knows: from, and until, which is 0 while it does. */
  readonly rests: readonly Rest[];
}

export type Rest = readonly [from: number, until: number];

/** How long a run has worked since a time: the clock stops while it waits for the user. */
export function workedFor({ rests }: Pick<Run, 'rests'>, since: number, now: number): number {
  let worked = now - since;
  for (const [from, until] of rests)
    worked -= Math.max(0, Math.min(until === 0 ? now : until, now) - Math.max(from, since));
  return Math.max(0, worked);
}

/** The part of a space that events change. */
export interface Conversation {
  readonly messages: readonly Message[];
  /** What is of one member is under its stateKey. */
  readonly state: Readonly<Record<string, Json>>;
  /** Those that work now, in the order in which they began. */
  readonly runs: readonly Run[];
  /** An error that belongs to no message. */
  readonly error: Failure | null;
  /** Segments before the first one held exist. */
  readonly hasBefore: boolean;
  /** The end of the transcript is not held: new segments are counted, not kept. */
  readonly hasAfter: boolean;
}

export const emptyConversation: Conversation = {
  messages: [],
  state: {},
  runs: [],
  error: null,
  hasBefore: false,
  hasAfter: false,
};

/** The member that a space begins with. Events leave it out. */
export const mainMember = 'main';

/** Under which key the state of a member is kept, as in a snapshot. */
export function stateKey(key: string, memberId: string = mainMember): string {
  return memberId === '' || memberId === mainMember ? key : `${key}@${memberId}`;
}

export function memberOf({ memberId }: Author): string {
  return memberId ?? mainMember;
}

/** The run that writes a message now, if one does. */
export function runOf({ runs }: Conversation, { runId, endedAt }: Message): Run | undefined {
  return endedAt === 0 && runId !== '' ? runs.find(({ id }) => id === runId) : undefined;
}

export function isOpen(status: Status): boolean {
  return status === 'pending' || status === 'running' || status === 'waiting';
}

/** The runs of the space itself, without those of other spaces that write here. */
export function ownRuns(runs: readonly Run[]): readonly Run[] {
  return runs.every(({ home }) => home === '') ? runs : runs.filter(({ home }) => home === '');
}

/** How many segments the whole message has, as far as known. */
export function segmentEnd(message: Message): number {
  return message.firstSegment + message.segments.length;
}
