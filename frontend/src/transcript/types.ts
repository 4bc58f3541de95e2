// The words of a transcript as they travel: events, and the parts that they carry. The
// same as backend/transcript, where each field is explained.

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

export type Role = 'user' | 'agent';

export interface Author {
  kind: string;
  id?: string;
  name?: string;
  /** The member that wrote it; left out for the first. */
  memberId?: string;
}

export type Status = 'pending' | 'running' | 'waiting' | 'completed' | 'failed' | 'cancelled' | 'rejected';

/** How a call is drawn where the agent works. */
export type Visibility = 'full' | 'minimal' | 'hidden';

/** Points at a blob: /blob/HASH. */
export interface Ref {
  hash: string;
  size: number;
  mimeType?: string;
}

/** How a command ended. Neither code nor signal is known of a lost one. */
export interface TerminalExit {
  exitCode?: number;
  signal?: string;
  killed?: boolean;
  lost?: boolean;
}

export interface Location {
  path: string;
  line?: number;
}

export interface Content {
  type: string;
  text?: string;
  ref?: Ref;
  path?: string;
  oldText?: string;
  oldRef?: Ref;
  newFile?: boolean;
  /** The line of the file at which a diff of a part of it begins. */
  line?: number;
  newText?: string;
  newRef?: Ref;
  added?: number;
  removed?: number;
  terminalId?: string;
  uri?: string;
  name?: string;
  mimeType?: string;
  raw?: Json;
}

export interface PermissionOption {
  optionId: string;
  name: string;
  kind: string;
}

export interface Permission {
  requestId: string;
  options: readonly PermissionOption[];
  /** What the call would do as Weft read it, or where that is; the fold does not look into it. */
  reading?: Reading;
  readingRef?: Ref;
  outcome?: string;
  optionId?: string;
  by?: By;
}

/** What a request would do, as the broker reads it: docs/decisions/0016. */
export interface Reading {
  commands?: Run[];
  /** In which the commands run, where it is not the folder of the space. */
  folder?: string;
  outside?: boolean;
  env?: Argument[];
  raises?: Argument[];
  files?: Target[];
  other?: Argument[];
  unclear?: string;
  kind?: string;
  diff?: boolean;
  /** Files that a patch among the arguments does not fit, as they are now. */
  misfits?: string[];
  /** The call's title is Weft's, as the agent gave it none but its arguments. */
  titled?: boolean;
  /** The agent's title, where nothing but that names what would be done. */
  title?: string;
}

/** A command that would be started. */
export interface Run {
  line: string;
  shell?: string;
  args?: string[];
  stdin?: string;
  runs?: string[];
}

/** A file of a request. */
export interface Target {
  path: string;
  real?: string;
  outside?: boolean;
  write?: boolean;
  git?: boolean;
}

/** A named value, as the agent sent it. */
export interface Argument {
  name: string;
  value: string;
}

/** Who ended a permission request, where that was not the user. */
export interface By {
  who: 'rule' | 'mode' | 'agent_mode' | 'answered' | 'agent' | 'stop' | 'exit' | 'weft';
  effect?: string;
  mode?: string;
  /** The member whose mode it is, where the run is limited to that of the one that asked for it. */
  askedBy?: string;
  ruleId?: string;
  kind?: string;
  command?: string;
  path?: string;
  tool?: string;
  /** A change that was found on disk and not asked about: who made it is not known. */
  found?: boolean;
}

export interface Failure {
  code: string;
  message: string;
  detail?: string;
  retryable?: boolean;
}

export interface Opaque {
  kind: string;
  at: number;
  raw?: Json;
  ref?: Ref;
}

/** What every event has. Seq counts from 1 without gaps within an epoch. */
interface Head<T extends string> {
  epoch: number;
  seq: number;
  at: number;
  type: T;
}

/** Names an item of a tool group by place. */
interface At {
  messageId: string;
  segment: number;
  item: number;
}

export type MessageStart = Head<'message_start'> & {
  messageId: string;
  runId?: string;
  role: Role;
  author: Author;
  model?: string;
};

export type TextDelta = Head<'text_delta'> & {
  messageId: string;
  segment: number;
  content: string;
  author?: string;
  parentToolCallId?: string;
  /** Of a text that an agent sends by tool: its call, and the agent. */
  toolCallId?: string;
  agentId?: string;
};

/** A text that an agent sends by tool is complete. */
export type TextEnd = Head<'text_end'> & {
  messageId: string;
  segment: number;
  toolCallId?: string;
  agentId?: string;
  /** It was written and not sent in the end, or with other words. */
  unsent?: boolean;
};

export type ReasoningDelta = Head<'reasoning_delta'> & At & { content: string; parentToolCallId?: string };

export type Display = Head<'display'> & {
  messageId: string;
  segment: number;
  display: Content;
  author?: string;
  parentToolCallId?: string;
};

/** Fields of a tool call that an event may carry. */
export interface CallFields {
  toolName?: string;
  /** Weft has made the name from the title or the kind. */
  toolNameDerived?: boolean;
  title?: string;
  titleRef?: Ref;
  kind?: string;
  status?: Status;
  input?: Json;
  inputRef?: Ref;
  parentToolCallId?: string;
  locations?: Location[];
  locationsRef?: Ref;
  content?: Content[];
  contentRef?: Ref;
  output?: Json;
  outputRef?: Ref;
  exit?: TerminalExit;
  summary?: string;
  resultCount?: number | null;
  error?: string;
  /** Of a call that is made once more. */
  startedAt?: number;
  /** Left out where it stays as it is; of a new call, in full. */
  visibility?: Visibility;
  /** How a display is drawn and who asks with it. */
  drawn?: Json;
}

export type ToolCallStart = Head<'tool_call_start'> &
  At &
  CallFields & { toolCallId: string; toolName: string; title: string; kind: string; status: Status };
export type ToolInputDelta = Head<'tool_input_delta'> & At & { toolCallId: string; delta: string };
/** With a terminal's id its offset counts bytes; where it does not continue, it replaces. */
export type ToolOutputDelta = Head<'tool_output_delta'> &
  At & { toolCallId: string; delta: string; terminalId?: string; offset?: number };
export type TerminalStart = Head<'terminal_start'> &
  At & { toolCallId: string; terminalId: string; command: string; startedAt: number };
export type TerminalEnd = Head<'terminal_end'> &
  At &
  TerminalExit & { toolCallId: string; terminalId: string; durationMs?: number; size?: number; ref?: Ref };
export type ToolCallUpdate = Head<'tool_call_update'> & At & CallFields & { toolCallId: string };

export type ToolCallEnd = Head<'tool_call_end'> &
  At & {
    toolCallId: string;
    status: Status;
    summary: string;
    resultCount: number | null;
    durationMs: number;
    output?: Json;
    outputRef?: Ref;
    wasRetried?: boolean;
  };

export type ToolCallError = Head<'tool_call_error'> &
  At & {
    toolCallId: string;
    error: string;
    retryable: boolean;
    wasRetried: boolean;
    reported?: Status;
    durationMs: number;
    output?: Json;
    outputRef?: Ref;
  };

export type PermissionRequest = Head<'permission_request'> &
  At & {
    toolCallId: string;
    requestId: string;
    options: PermissionOption[];
    reading?: Reading;
    readingRef?: Ref;
  };

export type PermissionResolved = Head<'permission_resolved'> &
  At & { toolCallId: string; requestId: string; outcome: string; optionId?: string; status: Status; by?: By };

export type OpaqueUpdate = Head<'opaque'> & { messageId: string; kind: string; raw?: Json; ref?: Ref };
export type ErrorEvent = Head<'error'> & { messageId?: string; runId?: string } & Failure;
export type MessageEnd = Head<'message_end'> & {
  messageId: string;
  stopReason?: string;
  usage?: Json;
  model?: string;
};

export type RunCreated = Head<'run_created'> & {
  runId: string;
  agentId: string;
  agentName: string;
  /** Left out for the first member. */
  memberId?: string;
  model?: string;
  promptId?: string;
  /** The space that it works in, where that is another one: it writes to this one, too. */
  spaceId?: string;
};
export type RunWaitingTool = Head<'run_waiting_tool'> & {
  runId: string;
  toolCallId: string;
  requestId?: string;
};
export type RunCompleted = Head<'run_completed'> & {
  runId: string;
  stopReason: string;
  usage?: Json;
  model?: string;
  error?: Failure;
  spaceId?: string;
};

export type StateKey = 'plan' | 'usage' | 'mode' | 'config' | 'commands' | 'title' | 'session' | 'queue';
/** Whose it is, memberId says; left out for the first member, and for what is of the space. */
export type StateEvent = Head<StateKey> & { messageId?: string; memberId?: string; value?: Json; ref?: Ref };

/** One sequenced change of a space. */
export type Event =
  | MessageStart
  | TextDelta
  | TextEnd
  | ReasoningDelta
  | Display
  | ToolCallStart
  | ToolInputDelta
  | ToolOutputDelta
  | TerminalStart
  | TerminalEnd
  | ToolCallUpdate
  | ToolCallEnd
  | ToolCallError
  | PermissionRequest
  | PermissionResolved
  | OpaqueUpdate
  | ErrorEvent
  | MessageEnd
  | RunCreated
  | RunWaitingTool
  | RunCompleted
  | StateEvent;
