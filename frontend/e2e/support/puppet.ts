import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { createInterface } from 'node:readline';

// The test's end of agents/puppet.mjs: a real agent process, led step by step. So a test looks at
// the window between any two things that an agent says, without waiting for a clock.

type Json = Record<string, unknown>;

export interface ToolCall {
  toolCallId: string;
  title?: string;
  kind?: string;
  status?: 'pending' | 'in_progress' | 'completed' | 'failed';
  content?: unknown[];
  locations?: { path: string; line?: number }[];
  rawInput?: unknown;
  rawOutput?: unknown;
  _meta?: unknown;
}

export interface Option {
  optionId: string;
  name: string;
  kind: 'allow_once' | 'allow_always' | 'reject_once' | 'reject_always';
}

export const yesOrNo: Option[] = [
  { optionId: 'yes', name: 'Allow once', kind: 'allow_once' },
  { optionId: 'no', name: 'Reject', kind: 'reject_once' },
];

/** Content of a tool call. */
export const said = (text: string) => ({ type: 'content', content: { type: 'text', text } });
export const diff = (path: string, oldText: string | null, newText: string) => ({
  type: 'diff',
  path,
  oldText,
  newText,
});

/** Session modes of an agent that asks. */
export const asking = {
  currentModeId: 'default',
  availableModes: [{ id: 'default', name: 'Default', description: 'Always ask before making changes' }],
};

interface Message {
  id?: number | string;
  method?: string;
  params?: Json;
  result?: unknown;
  error?: { code: number; message: string; data?: unknown };
}

/** What the agent says it is and can do, where a test wants something other than the usual. */
export interface Manners {
  initialize?: Json;
  /** Answers `session/cancel` by itself, as agents do. */
  cancels?: boolean;
  /** What the agent sends again when a session is loaded; where set, it says that it can load. */
  history?: Json[];
  /** Options that a session has; the agent takes every value, but "refused". */
  options?: { id: string; currentValue: unknown }[];
  /** Session modes. */
  modes?: Json;
  /** Conversations that it has kept; where set, it lists them. */
  earlier?: { sessionId: string; cwd: string; title: string }[] | undefined;
  /** Copies, closes and deletes sessions. */
  manages?: boolean;
  /** Opens a session only once the user has signed in. */
  wantsSignIn?: boolean;
  /** Params of a question that it has before it opens the first session. */
  asksFirst?: Json;
  /** The ROBIN_KEY that signs in, and the one that it was last started with. */
  rightKey?: string;
  seenKey?: string;
  /** It wants the sign-in before it says anything about itself, and names its ways with the refusal. */
  wantsSignInFirst?: boolean;
  /** What the last session was opened with. */
  servers?: { name?: unknown }[];
  /** What the session was opened with that was prompted last. */
  promptedServers?: { name?: unknown }[];
  /** What it tells right after a session was made. */
  hello?: Json[];
}

export class Puppet {
  readonly socket: string;
  private readonly server: Server;
  /** How it is now: a sign-in changes it. */
  readonly manners: Manners;
  private readonly turns: Turn[] = [];
  private waiting: ((turn: Turn) => void)[] = [];
  private current: Process | undefined;
  /** Methods that the client called, oldest first, over all starts. */
  readonly calls: string[] = [];
  starts = 0;
  /** What the user has answered to the question before the first session. */
  readonly asked: Promise<unknown>;
  private answered: (answer: unknown) => void = () => {};

  private constructor(socket: string, server: Server, manners: Manners) {
    this.socket = socket;
    this.server = server;
    this.manners = manners;
    this.asked = new Promise((resolve) => {
      this.answered = resolve;
    });
    server.on('connection', (connection) => this.started(connection));
  }

  /** Its socket is a port, because a path is out of reach in a sandbox. */
  static async listen(manners: Manners = {}): Promise<Puppet> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new Puppet(String((server.address() as AddressInfo).port), server, { cancels: true, ...manners });
  }

  /** The next prompt that the agent is given. */
  turn(): Promise<Turn> {
    const turn = this.turns.shift();
    if (turn !== undefined) return Promise.resolve(turn);
    return new Promise((resolve) => this.waiting.push(resolve));
  }

  /** Ends the process in the middle of whatever it does. */
  crash(code: number, stderr: string): void {
    this.current?.send({ err: stderr, exit: code });
  }

  /** Says something on stderr. */
  complain(text: string): void {
    this.current?.send({ err: text });
  }

  close(): void {
    this.current?.end();
    this.server.close();
  }

  private started(connection: Socket): void {
    this.starts++;
    this.current = new Process(
      connection,
      this.manners,
      (turn) => this.prompted(turn),
      this.calls,
      this.answered,
    );
  }

  private prompted(turn: Turn): void {
    const next = this.waiting.shift();
    if (next === undefined) this.turns.push(turn);
    else next(turn);
  }
}

/** One start of the agent. */
class Process {
  private readonly connection: Socket;
  private readonly answers = new Map<number, (message: Message) => void>();
  private lastId = 1000;
  private sessions = 0;

  /** What each session was opened with. */
  private readonly servers = new Map<string, { name?: unknown }[]>();

  private newSession(manners: Manners, params: Json, answer: (result: unknown) => void): void {
    const sessionId = `puppet-${++this.sessions}-${process.hrtime.bigint()}`;
    this.servers.set(sessionId, params['mcpServers'] as { name?: unknown }[]);
    answer({
      sessionId,
      ...(manners.options && { configOptions: manners.options }),
      ...(manners.modes && { modes: manners.modes }),
    });
    for (const update of manners.hello ?? []) this.update(sessionId, update);
  }

  constructor(
    connection: Socket,
    manners: Manners,
    onPrompt: (turn: Turn) => void,
    calls: string[],
    onAnswer: (answer: unknown) => void,
  ) {
    this.connection = connection;
    connection.on('error', () => {});
    const open = new Map<string, Turn>();
    createInterface({ input: connection, crlfDelay: Number.POSITIVE_INFINITY }).on('line', (line) => {
      const message = JSON.parse(line) as Message;
      if (message.method === undefined) {
        this.answers.get(Number(message.id))?.(message);
        return;
      }
      if (message.method === '_signed') {
        manners.wantsSignIn = false;
        return;
      }
      if (message.method === '_key') {
        const { key } = message.params as { key: string };
        manners.seenKey = key;
        if (key === manners.rightKey) manners.wantsSignIn = false;
        return;
      }
      calls.push(message.method);
      const params = message.params ?? {};
      const answer = (result: unknown) => this.write({ id: message.id, result });
      switch (message.method) {
        case 'initialize':
          if (manners.wantsSignInFirst && manners.wantsSignIn)
            return this.write({
              id: message.id,
              error: { code: -32000, message: 'Authentication required', data: manners.initialize },
            });
          return answer({
            protocolVersion: 1,
            agentInfo: { name: 'puppet', title: 'Puppet', version: '1.2.3' },
            agentCapabilities: {
              loadSession: manners.history !== undefined,
              sessionCapabilities: {
                ...(manners.earlier && { list: {} }),
                ...(manners.manages && { resume: {}, fork: {}, close: {}, delete: {} }),
              },
              ...(manners.manages && { promptCapabilities: { image: true, embeddedContext: true } }),
            },
            authMethods: [],
            ...manners.initialize,
          });
        case 'logout':
          manners.wantsSignIn = true;
          return answer({});
        case 'authenticate':
          if (manners.rightKey !== undefined && manners.seenKey !== manners.rightKey)
            return this.write({ id: message.id, error: { code: -32603, message: 'Wrong key' } });
          manners.wantsSignIn = false;
          return answer({});
        case 'session/new':
          manners.servers = params['mcpServers'] as { name?: unknown }[];
          if (manners.wantsSignIn)
            return this.write({
              id: message.id,
              error: { code: -32000, message: 'Authentication required' },
            });
          if (manners.asksFirst !== undefined) {
            const question = manners.asksFirst;
            delete manners.asksFirst;
            void this.request('elicitation/create', { requestId: '1', ...question }).then(({ result }) => {
              onAnswer(result);
              this.newSession(manners, params, answer);
            });
            return;
          }
          return this.newSession(manners, params, answer);
        case 'session/list': {
          const earlier = (manners.earlier ?? []).filter(({ cwd }) =>
            [undefined, cwd].includes(params['cwd'] as string),
          );
          return answer({ sessions: earlier });
        }
        case 'session/set_config_option': {
          if (params['value'] === 'refused')
            return this.write({ id: message.id, error: { code: -32603, message: 'Not with this licence' } });
          const configOptions = (manners.options ?? []).map((option) =>
            option.id === params['configId'] ? { ...option, currentValue: params['value'] } : option,
          );
          manners.options = configOptions;
          return answer({ configOptions });
        }
        case 'session/fork':
          return this.newSession(manners, params, answer);
        case 'session/delete':
          manners.earlier = manners.earlier?.filter(({ sessionId }) => sessionId !== params['sessionId']);
          return answer({});
        case 'session/close':
          return answer({});
        case 'session/resume':
          this.servers.set(String(params['sessionId']), params['mcpServers'] as { name?: unknown }[]);
          return answer({});
        case 'session/load':
          this.servers.set(String(params['sessionId']), params['mcpServers'] as { name?: unknown }[]);
          for (const update of manners.history ?? []) this.update(String(params['sessionId']), update);
          return answer({});
        case 'session/prompt': {
          const sessionId = String(params['sessionId']);
          const servers = this.servers.get(sessionId);
          if (servers !== undefined) manners.promptedServers = servers;
          const turn = new Turn(this, message.id ?? 0, sessionId, params['prompt'] as Json[], () =>
            open.delete(sessionId),
          );
          open.set(sessionId, turn);
          return onPrompt(turn);
        }
        case 'session/cancel': {
          const turn = open.get(String(params['sessionId']));
          turn?.heardCancel();
          if (manners.cancels === true) turn?.end('cancelled');
          return;
        }
        default:
          if (message.id !== undefined)
            this.write({ id: message.id, error: { code: -32601, message: 'Method not found' } });
      }
    });
  }

  write(message: object): void {
    this.send({ out: `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n` });
  }

  /** Many messages in one go. */
  writeAll(messages: object[]): void {
    this.send({
      out: messages.map((message) => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`).join(''),
    });
  }

  send(command: object): void {
    this.connection.write(`${JSON.stringify(command)}\n`);
  }

  end(): void {
    this.connection.destroy();
  }

  update(sessionId: string, update: object): void {
    this.write(updateMessage(sessionId, update));
  }

  request(method: string, params: object): Promise<Message> {
    const id = ++this.lastId;
    const answered = new Promise<Message>((resolve) => this.answers.set(id, resolve));
    this.write({ id, method, params });
    return answered;
  }
}

function updateMessage(sessionId: string, update: object): object {
  return { method: 'session/update', params: { sessionId, update } };
}

function promptText(prompt: unknown): string {
  return (prompt as { text?: string }[]).map(({ text }) => text ?? '').join('');
}

export const chunk = (text: string, messageId?: string) => ({
  sessionUpdate: 'agent_message_chunk',
  content: { type: 'text', text },
  ...(messageId === undefined ? {} : { messageId }),
});
export const thought = (text: string) => ({
  sessionUpdate: 'agent_thought_chunk',
  content: { type: 'text', text },
});
export const toolCall = (call: ToolCall) => ({ sessionUpdate: 'tool_call', ...call });
export const toolUpdate = (call: ToolCall) => ({ sessionUpdate: 'tool_call_update', ...call });

/** One prompt and what the agent does about it. */
export class Turn {
  readonly text: string;
  /** The content blocks of the prompt. */
  readonly blocks: readonly Json[];
  /** Resolves when the user has asked to stop. */
  readonly cancelled: Promise<void>;
  heardCancel: () => void = () => {};
  private readonly process: Process;
  private readonly id: number | string;
  private readonly sessionId: string;
  private readonly onEnd: () => void;
  private ended = false;

  constructor(process: Process, id: number | string, sessionId: string, blocks: Json[], onEnd: () => void) {
    this.process = process;
    this.id = id;
    this.sessionId = sessionId;
    this.text = promptText(blocks);
    this.blocks = blocks;
    this.onEnd = onEnd;
    this.cancelled = new Promise((resolve) => {
      this.heardCancel = resolve;
    });
  }

  update(update: object): void {
    this.process.update(this.sessionId, update);
  }

  updates(updates: object[]): void {
    this.process.writeAll(updates.map((update) => updateMessage(this.sessionId, update)));
  }

  say(text: string, messageId?: string): void {
    this.update(chunk(text, messageId));
  }

  think(text: string): void {
    this.update(thought(text));
  }

  tool(call: ToolCall): void {
    this.update(toolCall(call));
  }

  /** Announces a call and completes it. */
  did(call: ToolCall): void {
    const { toolCallId, content, rawOutput, status, ...start } = call;
    this.tool({ toolCallId, status: 'in_progress', ...start });
    this.change({
      toolCallId,
      status: status ?? 'completed',
      ...(content === undefined ? {} : { content }),
      ...(rawOutput === undefined ? {} : { rawOutput }),
    });
  }

  change(call: ToolCall): void {
    this.update(toolUpdate(call));
  }

  plan(entries: { content: string; status: string; priority?: string }[]): void {
    this.update({
      sessionUpdate: 'plan',
      entries: entries.map((entry) => ({ priority: 'medium', ...entry })),
    });
  }

  /** Asks for permission; the option's id, or "cancelled". */
  async ask(call: ToolCall, options: Option[] = yesOrNo): Promise<string> {
    const { result } = await this.process.request('session/request_permission', {
      sessionId: this.sessionId,
      toolCall: call,
      options,
    });
    const { outcome } = result as { outcome: { outcome: string; optionId?: string } };
    return outcome.optionId ?? outcome.outcome;
  }

  /** Asks the client for something; its answer, or the error that it gave. */
  async request(method: string, params: object): Promise<unknown> {
    const { result, error } = await this.process.request(method, { sessionId: this.sessionId, ...params });
    if (error !== undefined) throw new Error(`${method}: ${error.message}`);
    return result;
  }

  /** Runs a command in a terminal of the client; the terminal's id. */
  async terminal(command: string, more: object = {}): Promise<string> {
    const { terminalId } = (await this.request('terminal/create', { command, ...more })) as {
      terminalId: string;
    };
    return terminalId;
  }

  /** Has Weft write a file. */
  async write(path: string, content: string): Promise<void> {
    await this.request('fs/write_text_file', { path, content });
  }

  end(stopReason = 'end_turn'): void {
    if (this.ended) return;
    this.ended = true;
    this.onEnd();
    this.process.write({ id: this.id, result: { stopReason } });
  }

  fail(message: string, code = -32603, data?: unknown): void {
    this.ended = true;
    this.onEnd();
    this.process.write({ id: this.id, error: { code, message, ...(data === undefined ? {} : { data }) } });
  }
}
