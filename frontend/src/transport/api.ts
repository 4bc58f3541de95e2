import type {
  Author,
  Content,
  Event,
  Failure,
  Json,
  Location,
  Opaque,
  Permission,
  Ref,
  Role,
  Status,
  TerminalExit,
} from '../transcript/types';

// The commands and their shapes, as backend/service/types.go has them. Times are unix
// milliseconds. A list that the backend left nil may come as null.

export type SpaceState = 'idle' | 'running' | 'waiting' | 'failed';

/** Something that waits for the person. */
export interface Wait {
  requestId: string;
  title: string;
  kind: string;
  at: number;
}

export interface Space {
  id: string;
  title: string;
  folder: string;
  agentId: string;
  agentName: string;
  state: SpaceState;
  archived: boolean;
  createdAt: number;
  lastActivity: number;
  /** A run has ended, and the person has not been there since. */
  unseen: boolean;
  waits: Wait[] | null;
  permissions: PermissionMode;
}

/** How a space deals with permission requests. */
export type PermissionMode = 'ask' | 'rules' | 'read-only';

export interface Rule {
  id: string;
  effect: 'allow' | 'reject';
  scope: 'space' | 'folder' | 'everywhere';
  spaceId: string;
  folder: string;
  /** Empty: any agent. */
  agentId: string;
  /** Empty: any kind of tool. */
  kind: string;
  command: string;
  path: string;
  enabled: boolean;
  createdAt: number;
  used: number;
  lastUsed: number;
}

export interface ListedRule extends Rule {
  space: string;
  agentName: string;
}

export interface RuleSuggestion {
  kind: string;
  commands: string[];
  paths: string[];
  /** Patterns for the files that redirections of the command write. */
  writes: string[];
  unclear: '' | 'syntax' | 'long' | 'outside' | 'dynamic' | 'form' | 'setting';
  folder: string;
  agentId: string;
}

export interface Decision {
  n: number;
  at: number;
  spaceId: string;
  space: string;
  agentId: string;
  agentName: string;
  kind: string;
  title: string;
  about: string;
  outcome: 'allowed' | 'refused' | 'cancelled' | 'lost' | 'answered';
  option: string;
  by: 'person' | 'rule' | 'mode' | 'agent' | 'cancelled' | 'lost';
  ruleId: string;
  rule: string;
}

interface RulesRequest {
  rules: Rule[];
  spaceId: string;
  requestId: string;
}

export interface HistoryFilter {
  query: string;
  spaceId: string;
  outcome: string;
}

export interface Agent {
  id: string;
  name: string;
  description: string;
  homepage: string;
  command: string;
  args: string[] | null;
  env: Record<string, string> | null;
  cwd: string;
  source: 'builtin' | 'found' | 'custom' | 'catalog';
  installed: boolean;
  installHint: string;
  default: boolean;
}

export interface AuthMethod {
  id: string;
  name: string;
  description: string;
}

export interface AgentTest {
  ok: boolean;
  protocolVersion: number;
  name: string;
  version: string;
  capabilities: Json;
  authMethods: AuthMethod[] | null;
  durationMs: number;
  failure: Failure | null;
}

export interface Appearance {
  theme: 'system' | 'light' | 'dark';
  density: 'comfortable' | 'compact';
  textScale: number;
  thoughts: 'in-place' | 'top' | 'hidden';
}

export interface Problem {
  code: string;
  message: string;
  path: string;
  line: number;
  column: number;
}

export interface Bootstrap {
  version: string;
  mode: 'window' | 'serve';
  platform: string;
  home: string;
  /** Where Weft was started, for the first space. */
  folder: string;
  dataDir: string;
  settingsPath: string;
  spaces: Space[] | null;
  agents: Agent[] | null;
  appearance: Appearance;
  problems: Problem[] | null;
}

export interface ItemView {
  /** Bytes of a thought before its text that are not here. */
  textStart?: number;
  type: 'thought' | 'tool_call';
  text?: string;
  parentToolCallId?: string;
  startedAt?: number;
  endedAt?: number;
  call?: CallView;
}

export interface TerminalView extends TerminalExit {
  terminalId: string;
  command?: string;
  startedAt?: number;
  running?: boolean;
  durationMs?: number;
  /** In a call from a page it is not here. */
  text?: string;
  textStart?: number;
  size?: number;
  ref?: Ref;
}

export interface CallView {
  toolCallId: string;
  toolName?: string;
  title?: string;
  titleRef?: Ref;
  kind?: string;
  status: Status;
  parentToolCallId?: string;
  startedAt?: number;
  input?: Json;
  inputRef?: Ref;
  inputText?: string;
  content?: Content[];
  contentRef?: Ref;
  locations?: Location[];
  locationsRef?: Ref;
  output?: Json;
  outputRef?: Ref;
  outputText?: string;
  outputTextStart?: number;
  terminals?: TerminalView[];
  exit?: TerminalExit;
  summary?: string;
  resultCount?: number | null;
  durationMs?: number | null;
  error?: string;
  retryable?: boolean;
  wasRetried?: boolean;
  permissions?: Permission[];
}

export interface SegmentView {
  type: 'text' | 'tool-group' | 'display';
  text: string;
  textStart: number;
  author: string;
  parentToolCallId: string;
  itemCount: number;
  firstItem: number;
  items: ItemView[] | null;
  kindCounts: Record<string, number> | null;
  statusCounts: Record<string, number> | null;
  display: Content | null;
}

export interface MessageView {
  id: string;
  ord: number;
  runId: string;
  role: Role;
  author: Author;
  model: string;
  createdAt: number;
  endedAt: number;
  stopReason: string;
  usage: Json;
  error: Failure | null;
  segmentCount: number;
  firstSegment: number;
  segments: SegmentView[] | null;
  opaque: Opaque[] | null;
}

export interface Cursor {
  ord: number;
  segment: number;
}

export interface Page {
  messages: MessageView[] | null;
  hasBefore: boolean;
  hasAfter: boolean;
}

export interface RunView {
  id: string;
  messageId: string;
  agentId: string;
  startedAt: number;
  stopping: boolean;
}

export interface Snapshot {
  space: Space;
  epoch: number;
  seq: number;
  page: Page;
  state: Record<string, Json> | null;
  run: RunView | null;
}

/** What goes along with a prompt: a file or folder of the space's folder, or what was handed in. */
export type PromptPart = { path: string } | { hash: string; name: string };

/** What was handed in, as the backend has found it to be. */
export interface Attachment {
  hash: string;
  size: number;
  mimeType: string;
  kind: 'image' | 'audio' | 'text' | 'other';
  name: string;
  /** Where it lies in the space's folder; then it is mentioned and has no hash. */
  path: string;
}

export interface FileMatch {
  /** Relative to the space's folder; a folder ends with a slash. */
  path: string;
  dir: boolean;
  ignored: boolean;
  size: number;
  /** The characters that were matched, as indexes of code points. */
  at: number[] | null;
}

export interface QueuedPart {
  path?: string;
  blob?: Ref;
  kind?: Attachment['kind'];
  name?: string;
}

export interface QueuedPrompt {
  id: string;
  text: string;
  parts?: QueuedPart[];
  at: number;
}

export interface Events {
  epoch: number;
  seq: number;
  reset: boolean;
  events: Event[] | null;
}

export interface ProtocolEntry {
  n: number;
  /** Milliseconds since the agent was started. */
  at: number;
  dir: 'agent->client' | 'client->agent' | 'stderr';
  kind: string;
  line: string;
  size: number;
}

export interface Folder {
  path: string;
  parent: string;
  folders: string[] | null;
}

/** A file that an agent has changed and about which nothing was decided yet. */
export interface ChangedFile {
  id: number;
  path: string;
  what: 'added' | 'edited' | 'deleted' | 'renamed' | 'mode' | 'replaced' | 'unknown';
  from: string;
  also: number;
  version: string;
  added: number;
  removed: number;
  shown: boolean;
  size: number;
  reason: '' | 'binary' | 'large' | 'link' | 'not_kept';
  changed: boolean;
  stuck: string;
  oldMode: string;
  newMode: string;
}

/** Where in a file an agent was at. Lines count from 1; 0 where it tells none. */
export interface Place {
  path: string;
  line: number;
  to: number;
  at: number;
}

/** A stretch of a file. */
export interface FileView {
  text: string;
  from: number;
  lines: number;
  total: number;
  size: number;
  changedAt: number;
  binary: boolean;
  more: boolean;
}

export interface Changes {
  files: ChangedFile[] | null;
  coverage: string;
  watching: boolean;
  last: { turn: number; files: number; at: number } | null;
}

/** One change of a file. Lines count from 1. */
export interface ChangeHunk {
  oldStart: number;
  newStart: number;
  newLines: number;
  old: string;
  conflict: boolean;
  now: string;
  nowStart: number;
}

export interface ChangeDiff extends ChangedFile {
  text: string;
  hunks: ChangeHunk[] | null;
  odd: boolean;
}

/** What is decided: a file as it was shown, and which of its hunks. Null is the whole file. */
export interface Pick {
  id: number;
  version: string;
  hunks: number[] | null;
}

export interface Outcome {
  done: number;
  left: { id: number; path: string; message: string }[] | null;
  turn: number;
}

export interface UndoFile {
  path: string;
  what: 'edit' | 'remove' | 'restore' | 'mode';
  added: number;
  removed: number;
  conflict: string;
  stuck: string;
  version: string;
}

export interface UndoPlan {
  files: UndoFile[] | null;
  known: boolean;
}

export interface SaveAgentRequest {
  id: string;
  name: string;
  command: string;
  args: string[];
  env: Record<string, string>;
  cwd: string;
}

/** A conversation that an agent has kept by itself. */
export interface EarlierSession {
  sessionId: string;
  title: string;
  folder: string;
  updatedAt: number;
  /** The space that has it already. */
  spaceId: string;
}

export interface Cost {
  amount: number;
  currency: string;
}

/** What runs have used, in tokens. */
export interface UsageSum {
  runs: number;
  input: number;
  output: number;
  cachedRead: number;
  total: number;
  costs: Cost[] | null;
}

export interface Usage {
  last: { usage: Json } | null;
  space: UsageSum;
  today: UsageSum;
}

interface SpaceRef {
  spaceId: string;
}
interface AgentRef {
  agentId: string;
}
interface SegmentRef extends SpaceRef {
  messageId: string;
  segment: number;
}

/** What a command takes or answers that takes or answers nothing. */
type None = null;

/** Every command: what it takes and what it answers. */
export interface Commands {
  Bootstrap: [None, Bootstrap];
  ListSpaces: [{ archived: boolean; query: string }, Space[] | null];
  CreateSpace: [{ agentId: string; folder: string; title: string }, Space];
  UpdateSpace: [
    SpaceRef & {
      title?: string;
      archived?: boolean;
      agentId?: string;
      folder?: string;
      permissions?: PermissionMode;
    },
    Space,
  ];
  DeleteSpace: [SpaceRef, None];
  RestoreSpace: [SpaceRef, Space];
  MarkSeen: [SpaceRef, None];
  OpenSpace: [SpaceRef, Snapshot];
  Page: [SpaceRef & { before?: Cursor; after?: Cursor; limit: number }, Page];
  Since: [SpaceRef & { epoch: number; seq: number }, Events];
  GroupItems: [SegmentRef & { from: number; to: number }, ItemView[] | null];
  ToolDetail: [SegmentRef & { item: number }, CallView];
  SegmentText: [SegmentRef & { from: number; to: number }, { text: string; start: number }];
  FindFiles: [
    SpaceRef & { query: string } & ({ limit: number } | { exact: true }),
    { files: FileMatch[] | null; partial: boolean },
  ];
  SendPrompt: [SpaceRef & { text: string; parts?: PromptPart[] }, { queued: boolean; promptId: string }];
  EditQueued: [SpaceRef & { promptId: string; text: string }, None];
  RemoveQueued: [SpaceRef & { promptId: string; text: string }, None];
  SendQueued: [SpaceRef & { promptId: string; text: string }, None];
  PrepareAgent: [SpaceRef, None];
  SetOption: [SpaceRef & { optionId: string; value: string | boolean }, None];
  EarlierSessions: [
    AgentRef & { folder: string; cursor: string },
    { sessions: EarlierSession[] | null; next: string },
  ];
  ImportSession: [AgentRef & { sessionId: string; folder: string; title: string }, Space];
  Usage: [SpaceRef & { midnight: number }, Usage];
  SignIn: [SpaceRef & { methodId: string }, None];
  StopRun: [SpaceRef, None];
  RetryRun: [SpaceRef, None];
  RestartAgent: [SpaceRef, None];
  AnswerPermission: [SpaceRef & { requestId: string; optionId: string }, None];
  AnswerQuestion: [
    SpaceRef & { requestId: string; action: 'accept' | 'decline' | 'cancel'; content: Json },
    None,
  ];
  PermissionRules: [None, ListedRule[] | null];
  SuggestPermissionRules: [SpaceRef & { requestId: string }, RuleSuggestion];
  CheckPermissionRules: [RulesRequest, { covers: boolean; others: number }];
  SavePermissionRules: [RulesRequest, { rules: Rule[]; answered: number; problem: string }];
  RemovePermissionRule: [{ ruleId: string }, None];
  PermissionHistory: [
    HistoryFilter & { before: number; limit: number },
    { decisions: Decision[] | null; more: boolean },
  ];
  ListAgents: [None, Agent[] | null];
  RescanAgents: [None, Agent[] | null];
  SaveAgent: [SaveAgentRequest, Agent];
  DuplicateAgent: [AgentRef, Agent];
  RemoveAgent: [AgentRef, None];
  SetDefaultAgent: [AgentRef, None];
  TestAgent: [{ agentId?: string; agent?: SaveAgentRequest }, AgentTest];
  CancelTest: [None, None];
  SaveAppearance: [Appearance, Appearance];
  KillTerminal: [SpaceRef & { terminalId: string }, None];
  ProtocolLog: [SpaceRef & { after: number; limit: number; filter: string }, ProtocolEntry[] | null];
  ListFolders: [{ path: string }, Folder];
  RefuseAllPermissions: [SpaceRef, { refused: number }];
  ReadSpaceFile: [SpaceRef & { path: string; line: number }, FileView];
  VisitedPlaces: [SpaceRef, { places: Place[] | null }];
  ReviewChanges: [SpaceRef, Changes];
  ReviewDiff: [SpaceRef & { fileId: number }, ChangeDiff];
  AcceptChanges: [SpaceRef & { picks: Pick[] }, Outcome];
  RejectChanges: [SpaceRef & { picks: Pick[] }, Outcome];
  PlanUndo: [SpaceRef & { messageId: string }, UndoPlan];
  UndoSince: [SpaceRef & { messageId: string; chosen: { path: string; version: string }[] }, Outcome];
  RedoChanges: [SpaceRef & { turn: number }, Outcome];
  // Only in the window. An empty space id watches the app's topic.
  Watch: [SpaceRef & { epoch: number; seq: number }, None];
  Unwatch: [SpaceRef, None];
  Ack: [{ bytes: number }, None];
  /** In the window only: see state/desktop.ts. */
  Notify: [{ title: string; body: string; spaceId: string }, None];
  PickFolder: [{ path: string }, { path: string }];
  OpenLink: [{ url: string }, None];
  SavePermissionHistory: [HistoryFilter & { format: 'jsonl' | 'csv' }, { path: string }];
}

export type Command = keyof Commands;
export type Request<C extends Command> = Commands[C][0];
export type Answer<C extends Command> = Commands[C][1];

/** What topic `app` tells. It is not kept: after a gap, Bootstrap is read again. */
export type AppEvent =
  | { type: 'space'; space: Space }
  | { type: 'space_removed'; spaceId: string }
  | { type: 'agents'; agents: Agent[] | null }
  | { type: 'changes'; spaceId: string; files: number }
  | { type: 'place'; spaceId: string; place: Place }
  | { type: 'appearance'; appearance: Appearance }
  | { type: 'permission_rules' }
  | { type: 'problems'; problems: Problem[] | null }
  | { type: 'show'; spaceId: string };
