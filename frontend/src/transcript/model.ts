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

// The frontend's model of a transcript: a range of messages and segments. Objects are replaced when they change and
// shared otherwise, so `===` tells whether to re-render. Indices of segments and items count from the start of the
// message; the range starts at firstSegment and firstItem.

export interface TextSegment {
  readonly type: 'text';
  readonly author: string;
  readonly parentToolCallId: string;
  readonly text: GrowingText;
  /** Length of the text when this object was created: growing text replaces the object. */
  readonly length: number;
  /** Bytes of text before it that are not in memory. */
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

/** A command that Weft runs for the agent. Positions in its output are in bytes. */
export interface Terminal {
  readonly id: string;
  readonly command: string;
  readonly startedAt: number;
  readonly running: boolean;
  readonly exit: TerminalExit;
  readonly durationMs?: number | undefined;
  /** The part of the streamed output in memory, from `start` to `end`. */
  readonly text?: GrowingText | undefined;
  readonly start: number;
  readonly end: number;
  /** Size of the whole output in bytes, once it has ended. */
  readonly size: number;
  /** The end of the output, if not all of it was streamed. */
  readonly ref?: Ref | undefined;
}

export interface ToolCall {
  readonly type: 'tool_call';
  readonly toolCallId: string;
  readonly toolName: string;
  /** The agent sent no name, so it was derived from the title or the kind. */
  readonly toolNameDerived?: true | undefined;
  readonly title: string;
  readonly titleRef?: Ref | undefined;
  readonly kind: string;
  readonly status: Status;
  readonly parentToolCallId: string;
  readonly startedAt: number;
  /** Omitted for a call that is shown in full. */
  readonly visibility?: 'minimal' | 'hidden' | undefined;
  /** The original call of the backend, if this one is shown differently. See style.ts. */
  readonly original?: ToolCall | undefined;
  /** It is hidden, but shown at the user's request. */
  readonly revealed?: true | undefined;
  /** How a display is rendered and who asks with it, from the backend. */
  readonly drawn?: Json | undefined;
  readonly input?: Json | undefined;
  readonly inputRef?: Ref | undefined;
  readonly inputText?: GrowingText | undefined;
  /** The partial input while it is being written. Grows in place, like the text. */
  readonly writing?: Writing | undefined;
  /** The partial value of a display's input. Grows in place, too. */
  readonly drawing?: Drawing | undefined;
  readonly content?: readonly Content[] | undefined;
  readonly contentRef?: Ref | undefined;
  readonly locations?: readonly Location[] | undefined;
  readonly locationsRef?: Ref | undefined;
  /** Its first diff, if that isn't in memory and it has no locations. */
  readonly place?: Location | undefined;
  readonly output?: Json | undefined;
  readonly outputRef?: Ref | undefined;
  readonly outputText?: GrowingText | undefined;
  /** Bytes of the output before that text that are not in memory. */
  readonly outputStart: number;
  readonly terminals: readonly Terminal[];
  /** The exit of a display-only terminal. */
  readonly exit?: TerminalExit | undefined;
  /** Whether input, content and output are included. A call from a page only has its summary line. */
  readonly whole: boolean;
  /** Incremented with every streamed piece, so that a growing call is a new object. */
  readonly grown: number;
  readonly summary: string;
  readonly resultCount?: number | undefined;
  readonly durationMs?: number | undefined;
  readonly error: string;
  readonly retryable: boolean;
  readonly wasRetried: boolean;
  /** The status that the agent reported, if the result contradicts it. */
  readonly reported?: Status | undefined;
  readonly permissions: readonly Permission[];
}

/** The kind of calls that render a component in the message instead of a line in a group. */
export const displayKind = 'display';

export type Item = Thought | ToolCall;

export interface ToolGroup {
  readonly type: 'tool-group';
  readonly items: readonly Item[];
  readonly firstItem: number;
  /** Counts all calls of the group that count as steps, including those not in memory. */
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
  /** Position in the space according to the store; -1 if it only came with events. */
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
  /** The space it works in, if that is not the one it writes to here; otherwise empty. */
  readonly home: string;
  /** Pending requests for the user in this space. */
  readonly waitsFor: readonly string[];
  /** When it waited for the user, as far as this window knows; the end is 0 while it still waits. */
  readonly waitIntervals: readonly WaitInterval[];
}

export type WaitInterval = readonly [from: number, until: number];

/** Returns how long a run has worked since a time, without the time spent waiting for the user. */
export function workedFor({ waitIntervals }: Pick<Run, 'waitIntervals'>, since: number, now: number): number {
  let worked = now - since;
  for (const [from, until] of waitIntervals)
    worked -= Math.max(0, Math.min(until === 0 ? now : until, now) - Math.max(from, since));
  return Math.max(0, worked);
}

/** The part of a space that events change. */
export interface Conversation {
  readonly messages: readonly Message[];
  /** State of a single member is stored under its stateKey. */
  readonly state: Readonly<Record<string, Json>>;
  /** Active runs in the order in which they started. */
  readonly runs: readonly Run[];
  /** An error that doesn't belong to a message. */
  readonly error: Failure | null;
  /** There are segments before the first one in memory. */
  readonly hasBefore: boolean;
  /** The end of the transcript isn't in memory: new segments are counted but not stored. */
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

/** The first member of a space, which events don't mention. */
export const mainMember = 'main';

/** The key of a member's state, as in a snapshot. */
export function stateKey(key: string, memberId: string = mainMember): string {
  return memberId === '' || memberId === mainMember ? key : `${key}@${memberId}`;
}

export function memberOf({ memberId }: Author): string {
  return memberId ?? mainMember;
}

/** Returns the run that is writing a message, if any. */
export function runOf({ runs }: Conversation, { runId, endedAt }: Message): Run | undefined {
  return endedAt === 0 && runId !== '' ? runs.find(({ id }) => id === runId) : undefined;
}

export function isOpen(status: Status): boolean {
  return status === 'pending' || status === 'running' || status === 'waiting';
}

/** The space's own runs, without those of other spaces that write here. */
export function ownRuns(runs: readonly Run[]): readonly Run[] {
  return runs.every(({ home }) => home === '') ? runs : runs.filter(({ home }) => home === '');
}

/** Number of segments of the whole message, as far as known. */
export function segmentEnd(message: Message): number {
  return message.firstSegment + message.segments.length;
}
