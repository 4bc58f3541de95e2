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
  Visibility,
} from '../transcript/types';

// The commands and their shapes, as backend/service/types.go has them. Times are unix
// milliseconds. A list that the backend left nil may come as null.

export type SpaceState = 'idle' | 'running' | 'waiting' | 'failed';

/** Its text is its message, or only what it sends by a tool is. */
export type Speaks = 'direct' | 'tool';

/** How far back a member may read: all of the conversation, or what was said since it came. */
export type Reads = 'all' | 'joined';

/** What the person chooses about a member. */
export interface MemberSeed {
  name: string;
  agentId: string;
  role: string;
  speaks: Speaks;
  reads: Reads;
}

/** An agent that the person has put into a space. */
export interface Member extends MemberSeed {
  id: string;
  agentName: string;
  joinedAt: number;
  /** Asked where nobody is named. */
  default: boolean;
}

/** Members that are put into a space together. */
export interface MemberPreset {
  name: string;
  members: MemberSeed[];
}

/** Something that waits for the person. */
export interface Wait {
  requestId: string;
  title: string;
  /** The commands that it would run, as far as they fit. */
  line?: string;
  /** The first file that it would read or change, where it runs nothing. */
  path?: string;
  writes?: boolean;
  kind: string;
  /** Who waits for a reply. */
  by?: string;
  at: number;
}

export interface Space {
  id: string;
  title: string;
  folder: string;
  /** Its folder is an empty one that Weft has made for it. */
  noFolder: boolean;
  agentId: string;
  agentName: string;
  /** Those that are there, in the order in which they came. */
  members: Member[];
  state: SpaceState;
  archived: boolean;
  createdAt: number;
  lastActivity: number;
  /** A run has ended, and the person has not been there since. */
  unseen: boolean;
  waits: Wait[] | null;
  permissions: PermissionMode;
  /** The git worktree that its folder is in, where Weft has made one for it. */
  worktree: SpaceWorktree | null;
  /** The same for all spaces that branched from one. */
  treeId: string;
  /** The space that this one branched from; empty for one that is no branch. */
  parentId: string;
}

export interface SpaceWorktree {
  id: string;
  path: string;
  /** The folder of the repository that it was made from. */
  repository: string;
  branch: string;
  /** Empty: it began at a commit. */
  baseBranch: string;
}

/** What a worktree can be made from; not usable and without a reason: the folder is in no repository. */
export interface Repository {
  usable: boolean;
  reason: string;
  top: string;
  name: string;
  /** Empty where no branch is checked out. */
  branch: string;
  commit: string;
  subject: string;
  /** Files with changes that a worktree will not have. */
  changed: number;
  submodules: boolean;
  /** A name for the new branch. */
  proposed: string;
  /** The folder below which it would be. */
  place: string;
  /** What the repository's own configuration would make git run; Weft runs none of it unasked. */
  commands: RepositoryCommand[] | null;
  /** Names the commands as they are now. */
  commandsToken: string;
  /** What the user chose for these commands before; empty: nothing yet. */
  commandsAnswer: '' | CommandsAnswer;
}

/** A command that a repository would make git run. */
export interface RepositoryCommand {
  /** The setting, or "hook" and its name. */
  key: string;
  /** Its value; the file of a hook. */
  value: string;
  /** The file that says so. */
  file: string;
  /** It changes the files that are checked out. */
  filter: boolean;
}

/** Whether a repository's filters run while a worktree is created. */
export type CommandsAnswer = 'skip' | 'run';

export interface Worktree {
  id: string;
  path: string;
  repository: string;
  branch: string;
  baseBranch: string;
  createdAt: number;
  spaceId: string;
  spaceTitle: string;
  spaceGone: boolean;
  spaceArchived: boolean;
  /** Its folder is gone. */
  missing: boolean;
}

export interface WorktreeFiles {
  count: number;
  /** The first 200; a folder ends with a slash. */
  names: string[] | null;
}

export interface WorktreeState {
  worktree: Worktree;
  /** Something else is in its place. */
  foreign: boolean;
  repositoryGone: boolean;
  locked: boolean;
  lockReason: string;
  changed: WorktreeFiles;
  untracked: WorktreeFiles;
  ignored: WorktreeFiles;
  hidden: WorktreeFiles;
  submodules: string[] | null;
  /** merge, rebase, cherry-pick, revert, bisect, or empty. */
  busy: string;
  /** The branch that is checked out; empty: none. */
  current: string;
  /** Commits that are on no branch. */
  loose: number;
  /** Commits of the branch that are not on its base. */
  unmerged: number;
  unpushed: number;
  branchGone: boolean;
  /** Something would be lost with it. */
  unsaved: boolean;
  token: string;
}

/** A space of a tree of branches. */
export interface TreeSpace {
  space: Space;
  /** The nearest space above it that there still is. */
  parent: string;
  /** How what is its own begins. */
  words: string;
  /** That are its own. */
  messages: number;
}

/** A prompt for which other branches have another one. */
export interface Fork {
  messageId: string;
  /** One for each way on. */
  spaces: string[];
  /** Which of them is the space that was asked about. */
  at: number;
}

export interface Tree {
  spaces: TreeSpace[];
  forks: Fork[];
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
  /** One that Weft runs for agents: its name, behind that of its server and "/" if it has one. */
  tool: string;
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
  /** Empty for a tool of the agent's own. */
  tool: string;
  commands: string[];
  paths: string[];
  /** Patterns for the files that redirections of the command write. */
  writes: string[];
  unclear:
    | ''
    | 'syntax'
    | 'long'
    | 'outside'
    | 'raises'
    | 'arguments'
    | 'dynamic'
    | 'form'
    | 'setting'
    | 'package'
    | 'repository';
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
  outcome: 'allowed' | 'refused' | 'unasked' | 'cancelled' | 'lost' | 'answered';
  option: string;
  by: 'person' | 'rule' | 'mode' | 'agentMode' | 'answered' | 'own' | 'agent' | 'cancelled' | 'lost';
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

export type AgentProcess = 'shared' | 'perSpace';

/** An agent that has one runs in a sandbox. */
export interface Sandbox {
  network?: 'allowed' | 'blocked';
  /** More folders and files that it can write. */
  writable?: string[] | null;
}

/** Weft reads along what the model of an agent that has one writes. */
export interface ModelProxy {
  /** More environment variables that hold the address of a model. */
  variables?: string[] | null;
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
  process: AgentProcess;
  /** Null, or not there: it runs without one. */
  sandbox?: Sandbox | null;
  /** Null, or not there: nothing is read along. */
  modelProxy?: ModelProxy | null;
  source: 'builtin' | 'found' | 'custom' | 'catalog';
  installed: boolean;
  installHint: string;
  default: boolean;
  /** References to secrets, by the names of environment variables. */
  secretEnv: Record<string, string> | null;
  logOut: boolean;
  /** Where Weft has installed it. */
  registry: { id: string; version: string } | null;
  /** Set where it is Weft's own agent with that model; the command follows from it. */
  model?: ModelChoice | null;
  /** Null, or not there: it was not seen to act without asking, or runs in a sandbox. */
  unasked?: Unasked | null;
}

/** The first thing that an agent was seen to do without asking. */
export interface Unasked {
  kind: 'execute' | 'edit' | 'delete' | 'move';
  /** Its command or file, or the agent's title. */
  about: string;
  spaceId: string;
  at: number;
  /** The user has not answered the offer of a sandbox. */
  offered: boolean;
  /** Why no sandbox can be made here; empty if one can. */
  problem: string;
}

/** A language model, and where it is. */
export interface ModelChoice {
  provider: string;
  model?: string;
  /** Not there: the provider's own. */
  baseUrl?: string;
  api?: string;
}

/** Somebody whose models can be used with a key. */
export interface ModelProvider {
  id: string;
  name: string;
  baseUrl: string;
  /** The variable that holds its key. */
  keyEnv: string;
  keyPage: string;
  /** The usual one; empty where it depends on what is installed. */
  model: string;
  /** It usually runs on this machine. */
  local: boolean;
  needsKey: boolean;
  apis: string[];
  /** The environment of Weft has the key. */
  envKey: boolean;
}

export interface ModelInfo {
  id: string;
  name: string;
  context: number;
}

export interface ModelList {
  models: ModelInfo[];
  failure: Failure | null;
}

export type InstallKind = 'binary' | 'npx' | 'uvx';

/** One way to install an agent on this machine. */
export interface RegistryWay {
  kind: InstallKind;
  origin: string;
  sha256: string;
  install: string[];
  program: string;
  args: string[];
  env: Record<string, string>;
  missing: string;
}

export interface InstalledInfo {
  version: string;
  update: boolean;
  kind: InstallKind;
  origin: string;
  sha256: string;
  vouched: boolean;
  bytes: number;
  folder: string;
  installedAt: number;
  warning: string;
  agents: { id: string; name: string; command: string }[];
  broken: boolean;
}

/** An agent of the registry. */
export interface RegistryAgent {
  id: string;
  name: string;
  version: string;
  description: string;
  repository: string;
  website: string;
  license: string;
  licenseUrl: string;
  authors: string[];
  problems: string[];
  revision: string;
  platforms: string[];
  ways: RegistryWay[];
  installed: InstalledInfo | null;
  gone: boolean;
}

/** An installation in progress, or as it ended. */
export interface Install {
  id: string;
  name: string;
  version: string;
  update: boolean;
  state: 'running' | 'asking' | 'done' | 'failed' | 'cancelled';
  step: '' | 'download' | 'unpack' | 'packages' | 'scripts';
  done: number;
  total: number;
  line: string;
  startedAt: number;
  sha256: string;
  vouched: boolean;
  agentId: string;
  failure: Failure | null;
  question: InstallQuestion | null;
}

/** What has to be confirmed before an installation goes on. */
export interface InstallQuestion {
  code: 'unverified_download' | 'install_scripts' | 'source_build';
  token: string;
  message: string;
  host: string;
  address: string;
  bytes: number;
  scripts: InstallScript[];
  /** To be built from source, as far as they are known. */
  packages: string[];
}

/** An install script of an npm package. */
export interface InstallScript {
  package: string;
  version: string;
  event: string;
  command: string;
}

export interface RegistryList {
  source: string;
  shipped: boolean;
  fetchedAt: number;
  checkedAt: number;
  refreshing: boolean;
  failure: Failure | null;
  platform: string;
  folder: string;
  agents: RegistryAgent[];
  broken: { id: string; name: string; reason: string }[];
  installs: Install[];
}

interface InstallRequest {
  id: string;
  revision: string;
  kind: InstallKind;
}

/** A way to sign in to an agent. */
export interface Auth {
  id: string;
  name: string;
  description?: string;
  type: string;
  /** terminal: the command line that is run. */
  command?: string;
  variables?: AuthVariable[] | null;
  link?: string;
  /** Why it is told but not offered. */
  problem?: string;
}

export interface AuthVariable {
  name: string;
  label?: string;
  secret: boolean;
  optional?: boolean;
}

/** What signing in is about: the agent of a member of a space, or an agent by itself. */
export type SignInTarget = { spaceId: string; memberId: string } | { agentId: string };

export interface SignInOutput {
  text: string;
  offset: number;
  next: number;
  ended: boolean;
  code: number;
  signal: string;
}

/** A secret as a form gives it: a new value, or the reference to the one that is kept. */
export type SecretInput = { value: string } | { ref: string };

export type SecretStore = 'keychain' | 'file';

export interface Secrets {
  store: SecretStore;
  keychain: number;
  file: number;
}

interface McpFields {
  name: string;
  type: 'stdio' | 'http' | 'sse';
  command: string;
  args: string[];
  env: Record<string, string>;
  url: string;
  headers: Record<string, string>;
  disabled: boolean;
}

/** Agents are handed the server, or Weft offers its tools. */
export type McpVia = 'direct' | 'gateway';

/** What the person decides for one tool that Weft offers. */
export interface McpTool {
  off?: boolean;
  display?: boolean;
  visibility?: '' | 'hidden' | 'minimal' | 'full';
}

/** An MCP server. Of its secrets there are references. */
export interface McpServer extends McpFields {
  via: McpVia;
  tools: Record<string, McpTool>;
  /** What Weft cannot offer of it just now, in sentences. */
  troubles: string[];
  secretEnv: Record<string, string>;
  secretHeaders: Record<string, string>;
}

export interface McpServerForm extends McpFields {
  via?: McpVia;
  tools?: Record<string, McpTool>;
  secretEnv: Record<string, SecretInput>;
  secretHeaders: Record<string, SecretInput>;
}

export interface McpTest {
  ok: boolean;
  name: string;
  version: string;
  protocol: string;
  tools: { name: string; title: string; description: string }[] | null;
  more: boolean;
  noise: string;
  durationMs: number;
  failure: Failure | null;
}

/** A server out of pasted configuration, and the names of what looks like a secret. */
export interface PastedServer extends McpServer {
  secret: string[];
}

export interface AgentTest {
  ok: boolean;
  protocolVersion: number;
  name: string;
  version: string;
  capabilities: Json;
  authMethods: Auth[] | null;
  durationMs: number;
  failure: Failure | null;
}

export interface Appearance {
  theme: 'system' | 'light' | 'dark';
  density: 'comfortable' | 'compact';
  textScale: number;
  thoughts: 'in-place' | 'top' | 'hidden';
}

/** How the calls of one tool are drawn; see transcript/looks.ts. */
export interface CallRule {
  agent?: string;
  server?: string;
  tool: string;
  visibility: Visibility;
}

/** How calls of tools are drawn. */
export interface ToolCalls {
  spaceTools: 'rows' | 'displays';
  rules: CallRule[] | null;
  /** The names of MCP servers that tools can be of, Weft's own first. */
  servers: string[] | null;
}

export type CallRuleRef = { agent: string; server: string; tool: string };

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
  toolCalls: ToolCalls;
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
  toolNameDerived?: boolean;
  title?: string;
  titleRef?: Ref;
  kind?: string;
  status: Status;
  parentToolCallId?: string;
  startedAt?: number;
  visibility?: Visibility;
  drawn?: Json;
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
  reported?: Status;
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
  /** The event that it stands at. */
  epoch: number;
  seq: number;
}

export interface RunView {
  id: string;
  /** The space that it works in, if that is another one: it writes here, too. */
  spaceId: string;
  messageId: string;
  agentId: string;
  memberId: string;
  startedAt: number;
  stopping: boolean;
}

/** A run, and all that it has written, in whichever space. */
export interface RunMessages {
  run: {
    id: string;
    spaceId: string;
    memberId: string;
    agentName: string;
    startedAt: number;
    /** 0 while it works. */
    endedAt: number;
    stopReason: string;
  };
  messages: { spaceId: string; spaceTitle: string; messageId: string; createdAt: number }[] | null;
}

/** A message as its parts, as other programs read it. */
export interface CompositeMessage {
  id: string;
  spaceId: string;
  entityId: string;
  memberId: string;
  runId: string;
  parts: {
    type: 'text' | 'reasoning' | 'tool_call' | 'content';
    text?: string;
    toolCallId?: string;
    toolName?: string;
    args?: Json;
    /** Where they are large. */
    argsRef?: Ref;
    status?: Status;
    result?: Json;
  }[];
}

export interface Snapshot {
  space: Space;
  epoch: number;
  seq: number;
  page: Page;
  state: Record<string, Json> | null;
  /** Those that work now, one of a member at most. */
  runs: RunView[];
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
  /** Whom it waits for. */
  memberId: string;
  /** The name of the member that wrote it; empty for the person. */
  from: string;
  /** The message that holds its words already; empty if it becomes one. */
  said: string;
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
  /** shared: spaces in the same folder have one process; perSpace: each has its own. */
  process?: AgentProcess;
  /** Null, or not there: the agent runs without one. */
  sandbox?: Sandbox | null;
  /** Null, or not there: nothing is read along. */
  modelProxy?: ModelProxy | null;
  id: string;
  name: string;
  command: string;
  args: string[];
  env: Record<string, string>;
  cwd: string;
  /** Not there: those that are kept stay. */
  secretEnv?: Record<string, SecretInput>;
  /** Instead of a command. */
  model?: ModelChoice;
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
/** A member; empty stands for the default one. */
interface MemberRef extends SpaceRef {
  memberId: string;
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
  CreateSpace: [
    {
      agentId: string;
      folder: string;
      title: string;
      /** An empty folder of its own instead. */
      noFolder?: boolean;
      words?: string;
      worktree?: {
        branch: string;
        folder: string;
        commands?: CommandsAnswer;
        commandsToken?: string;
      };
      /** The first is the default; without them there is one, of that agent. */
      members?: MemberSeed[];
    },
    Space,
  ];
  AddMember: [SpaceRef & MemberSeed, Space];
  UpdateMember: [
    MemberRef & { name?: string; role?: string; speaks?: Speaks; reads?: Reads; default?: boolean },
    Space,
  ];
  RemoveMember: [MemberRef, Space];
  MemberPresets: [None, MemberPreset[] | null];
  SaveMemberPreset: [MemberPreset, MemberPreset[] | null];
  RemoveMemberPreset: [{ name: string }, MemberPreset[] | null];
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
  DeleteSpace: [SpaceRef & { atAgent?: boolean }, { left: string }];
  Branch: [
    SpaceRef & { messageId?: string; before?: boolean; text?: string; parts?: PromptPart[]; to?: string[] },
    Space,
  ];
  Branches: [SpaceRef, Tree];
  AgentCopies: [SpaceRef, { agentName: string; sessions: number }];
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
  /**
   * `to` has the ids of those who are asked; empty: a run that waits for a reply there, else the default member.
   * `answers` is the wait that it answers.
   */
  SendPrompt: [
    SpaceRef & { text: string; parts?: PromptPart[]; to?: string[]; answers?: string },
    { queued: boolean; promptId: string; answered: string },
  ];
  EditQueued: [SpaceRef & { promptId: string; text: string }, None];
  RemoveQueued: [SpaceRef & { promptId: string; text: string }, None];
  SendQueued: [SpaceRef & { promptId: string; text: string }, None];
  PrepareAgent: [MemberRef, None];
  SetOption: [MemberRef & { optionId: string; value: string | boolean }, None];
  EarlierSessions: [
    AgentRef & { folder: string; cursor: string },
    { sessions: EarlierSession[] | null; next: string; forget: boolean },
  ];
  ForgetSession: [AgentRef & { sessionId: string }, None];
  ImportSession: [AgentRef & { sessionId: string; folder: string; title: string }, Space];
  Usage: [SpaceRef & { midnight: number }, Usage];
  SignIn: [SignInTarget & { methodId: string; values?: Record<string, string> }, None];
  StartSignIn: [
    SignInTarget & { methodId: string; rows: number; cols: number },
    { id: string; command: string },
  ];
  SignInOutput: [{ terminalId: string; from: number }, SignInOutput];
  TypeSignIn: [{ terminalId: string; text: string }, None];
  ResizeSignIn: [{ terminalId: string; rows: number; cols: number }, None];
  EndSignIn: [{ terminalId: string }, None];
  LogOut: [SignInTarget, { agent: boolean; forgotten: number }];
  Secrets: [None, Secrets];
  SetSecretStore: [{ store: SecretStore }, Secrets];
  MCPServers: [None, McpServer[] | null];
  SaveMCPServer: [{ was: string; server: McpServerForm }, McpServer];
  RemoveMCPServer: [{ name: string }, None];
  ReadMCPServers: [{ text: string }, { servers: PastedServer[] | null; skipped: string[] | null }];
  TestMCPServer: [{ name: string } | { server: McpServerForm }, McpTest];
  /** Without a member: all that work in the space. */
  StopRun: [MemberRef & { runId?: string }, None];
  RetryRun: [MemberRef, None];
  RetryCall: [SpaceRef & { messageId: string; toolCallId: string }, None];
  RestartAgent: [MemberRef, None];
  RunMessages: [{ runId: string }, RunMessages];
  MessageParts: [SpaceRef & { messageId: string }, CompositeMessage];
  AnswerPermission: [SpaceRef & { requestId: string; optionId: string }, None];
  AnswerQuestion: [
    SpaceRef & { requestId: string; action: 'accept' | 'decline' | 'cancel'; content: Json },
    None,
  ];
  /** With `cancel` the person will not answer, and `answer` is null. */
  AnswerDisplay: [SpaceRef & { messageId: string; toolCallId: string; answer: Json; cancel?: boolean }, None];
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
  DeclineSandbox: [AgentRef, Agent];
  TestAgent: [{ agentId?: string; agent?: SaveAgentRequest }, AgentTest];
  CancelTest: [None, None];
  ModelProviders: [None, ModelProvider[]];
  ListModels: [
    { agentId: string; model: ModelChoice; secretEnv: Record<string, SecretInput> | null },
    ModelList,
  ];
  Registry: [None, RegistryList];
  RefreshRegistry: [None, RegistryList];
  DownloadSize: [InstallRequest, { bytes: number }];
  InstallAgent: [InstallRequest & { ask?: boolean; confirm?: string[]; skipScripts?: boolean }, None];
  AnswerInstall: [{ id: string; token: string; yes: boolean }, None];
  CancelInstall: [{ id: string }, None];
  DismissInstall: [{ id: string }, None];
  RemoveInstalledAgent: [{ id: string; stop: boolean }, None];
  SaveAppearance: [Appearance, Appearance];
  ToolCalls: [None, ToolCalls];
  SaveCallRule: [{ was: CallRuleRef | null; rule: CallRule }, ToolCalls];
  RemoveCallRule: [CallRuleRef, ToolCalls];
  DrawSpaceTools: [{ as: ToolCalls['spaceTools'] }, ToolCalls];
  KillTerminal: [SpaceRef & { terminalId: string }, None];
  ProtocolLog: [MemberRef & { after: number; limit: number; filter: string }, ProtocolEntry[] | null];
  ListFolders: [{ path: string }, Folder];
  LookRepository: [{ folder: string; title: string }, Repository];
  Worktrees: [None, Worktree[] | null];
  WorktreeState: [{ worktreeId: string }, WorktreeState];
  RemoveWorktree: [
    { worktreeId: string; token: string; anyway: boolean; branch: boolean },
    { kept: string; note: string },
  ];
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
  | { type: 'tool_calls'; toolCalls: ToolCalls }
  | { type: 'permission_rules' }
  | { type: 'mcp_servers' }
  | { type: 'registry' }
  | { type: 'installs'; installs: Install[] | null }
  | { type: 'problems'; problems: Problem[] | null }
  | { type: 'show'; spaceId: string };
