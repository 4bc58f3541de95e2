import type {
  Content,
  Event,
  Failure,
  Json,
  PermissionOption,
  Reading,
  Status,
  TerminalExit,
} from '../../transcript/types';
import { minute, now, second } from '../clock';

type Body = Event extends infer E ? (E extends Event ? Omit<E, 'epoch' | 'seq' | 'at'> : never) : never;

interface CallFields {
  title: string;
  kind?: string;
  toolName?: string;
  status?: Status;
  input?: Json;
  /** The part of the input written so far. */
  writes?: string;
  content?: Content[];
  output?: Json;
  /** Output of a terminal that is only shown. */
  prints?: string;
  exit?: TerminalExit;
  summary?: string;
  results?: number;
  error?: string;
  retryable?: boolean;
  took?: number;
  parent?: string;
  drawn?: Json;
  locations?: { path: string; line?: number }[];
  visibility?: 'minimal' | 'hidden';
  asks?: { options?: readonly PermissionOption[]; reading?: Reading; id?: string };
  /** The call ran without asking for this permission. */
  unasked?: { command?: string; path?: string; kind?: string };
  terminal?: { command: string; text: string; exit?: TerminalExit; took?: number };
}

export const usual: PermissionOption[] = [
  { optionId: 'once', name: 'Allow once', kind: 'allow_once' },
  { optionId: 'always', name: 'Always allow', kind: 'allow_always' },
  { optionId: 'no', name: 'Reject', kind: 'reject_once' },
];

const ended: readonly string[] = ['completed', 'cancelled', 'rejected'];

/** The events of a space, as the backend would send them. */
export class Talk {
  readonly events: Event[] = [];
  private readonly spaceId: string;
  private at: number;
  private messages = 0;
  private calls = 0;
  private segment = -1;
  private item = -1;
  private grouped = false;
  private run = '';

  constructor(spaceId: string, at = now - 2 * minute) {
    this.spaceId = spaceId;
    this.at = at;
  }

  private get messageId(): string {
    return `${this.spaceId}-m${this.messages}`;
  }

  private add(body: Body): this {
    this.events.push({ epoch: 1, seq: this.events.length + 1, at: this.at, ...body } as Event);
    return this;
  }

  private open(): void {
    this.messages++;
    this.segment = -1;
    this.grouped = false;
  }

  /** Advances the clock. */
  after(milliseconds: number): this {
    this.at += milliseconds;
    return this;
  }

  prompt(text: string, ...along: Content[]): this {
    this.after(20 * second);
    this.open();
    const { messageId } = this;
    this.add({ type: 'message_start', messageId, role: 'user', author: { kind: 'person' } });
    if (text !== '') this.say(text);
    for (const display of along) this.display(display);
    return this.add({ type: 'message_end', messageId });
  }

  agent(name = 'Robin', more: { member?: string; model?: string } = {}): this {
    this.after(second);
    this.open();
    const { messageId } = this;
    const { member: memberId = 'main', model = 'sparrow-4' } = more;
    this.run = `${this.spaceId}-r${this.messages}`;
    this.add({ type: 'run_created', runId: this.run, agentId: 'robin', agentName: name, memberId });
    const author = { kind: 'agent', id: 'robin', name, memberId };
    return this.add({ type: 'message_start', messageId, runId: this.run, role: 'agent', author, model });
  }

  say(content: string, author = ''): this {
    this.segment++;
    this.grouped = false;
    return this.add({
      type: 'text_delta',
      messageId: this.messageId,
      segment: this.segment,
      content,
      author,
    });
  }

  display(display: Content): this {
    this.segment++;
    this.grouped = false;
    return this.add({ type: 'display', messageId: this.messageId, segment: this.segment, display });
  }

  private next(): { messageId: string; segment: number; item: number } {
    if (!this.grouped) {
      this.segment++;
      this.item = -1;
      this.grouped = true;
    }
    this.item++;
    return { messageId: this.messageId, segment: this.segment, item: this.item };
  }

  think(content: string, took = 4 * second, parent = ''): this {
    const at = this.next();
    this.add({ type: 'reasoning_delta', ...at, content, parentToolCallId: parent });
    this.after(took);
    return this.add({ type: 'reasoning_delta', ...at, content: '\n' });
  }

  call(fields: CallFields): this {
    const { title, kind = 'other', toolName = '', status = 'completed', took = 1200 } = fields;
    const toolCallId = `${this.spaceId}-c${++this.calls}`;
    const at = { ...this.next(), toolCallId };
    const began = fields.asks !== undefined ? 'running' : status;
    this.add({
      ...{ type: 'tool_call_start', ...at, toolName, title, kind },
      status: ended.includes(began) || began === 'failed' ? 'running' : began,
      ...(fields.input === undefined ? {} : { input: fields.input }),
      ...(fields.content === undefined ? {} : { content: fields.content }),
      ...(fields.locations === undefined ? {} : { locations: fields.locations }),
      ...(fields.parent === undefined ? {} : { parentToolCallId: fields.parent }),
      ...(fields.visibility === undefined ? {} : { visibility: fields.visibility }),
    });
    if (fields.writes !== undefined) this.add({ type: 'tool_input_delta', ...at, delta: fields.writes });
    if (fields.drawn !== undefined) this.add({ type: 'tool_call_update', ...at, drawn: fields.drawn });
    if (fields.terminal !== undefined) this.terminal(at, fields.terminal, status);
    if (fields.prints !== undefined) this.add({ type: 'tool_output_delta', ...at, delta: fields.prints });
    if (fields.asks !== undefined) this.ask(at, fields.asks);
    if (fields.unasked !== undefined) {
      const by = { who: 'mode', effect: 'ask', mode: 'ask', ...fields.unasked } as const;
      const requestId = `${toolCallId}-u`;
      this.add({ type: 'permission_request', ...at, requestId, options: [] });
      this.add({ type: 'permission_resolved', ...at, requestId, outcome: 'unasked', status: 'running', by });
    }
    if (fields.exit !== undefined) this.add({ type: 'tool_call_update', ...at, exit: fields.exit });
    this.after(took);
    const { output } = fields;
    const end = { ...at, durationMs: took, ...(output === undefined ? {} : { output }) };
    if (ended.includes(status)) {
      const { summary = '', results = null } = fields;
      this.add({ type: 'tool_call_end', ...end, status, summary, resultCount: results });
    } else if (status === 'failed') {
      const { error = 'The command failed.', retryable = false } = fields;
      this.add({ type: 'tool_call_error', ...end, error, retryable, wasRetried: false });
    }
    return this;
  }

  private ask(
    at: { messageId: string; segment: number; item: number; toolCallId: string },
    { options = usual, reading, id = `${at.toolCallId}-q` }: NonNullable<CallFields['asks']>,
  ): void {
    const read = reading === undefined ? {} : { reading };
    this.add({ type: 'permission_request', ...at, requestId: id, options: [...options], ...read });
    this.add({ type: 'run_waiting_tool', runId: this.run, toolCallId: at.toolCallId, requestId: id });
  }

  private terminal(
    at: { messageId: string; segment: number; item: number; toolCallId: string },
    { command, text, exit, took = 3400 }: NonNullable<CallFields['terminal']>,
    status: Status,
  ): void {
    const terminalId = `${at.toolCallId}-t`;
    this.add({ type: 'terminal_start', ...at, terminalId, command, startedAt: this.at });
    this.add({ type: 'tool_call_update', ...at, content: [{ type: 'terminal', terminalId }] });
    this.add({ type: 'tool_output_delta', ...at, terminalId, offset: 0, delta: text });
    if (status === 'running') return;
    const size = new TextEncoder().encode(text).length;
    this.add({
      type: 'terminal_end',
      ...at,
      terminalId,
      durationMs: took,
      size,
      ...(exit ?? { exitCode: 0 }),
    });
  }

  /** Id of the last call, for events that refer to it. */
  get lastCall(): string {
    return `${this.spaceId}-c${this.calls}`;
  }

  fail(failure: Failure): this {
    this.add({ type: 'error', messageId: this.messageId, runId: this.run, ...failure });
    return this.end('error');
  }

  end(stopReason = 'end_turn', usage?: Json): this {
    this.after(second);
    const { messageId, run: runId } = this;
    this.add({ type: 'message_end', messageId, stopReason, ...(usage === undefined ? {} : { usage }) });
    return this.add({ type: 'run_completed', runId, stopReason });
  }

  unknown(kind: string, raw: Json): this {
    return this.add({ type: 'opaque', messageId: this.messageId, kind, raw });
  }

  state(type: 'plan' | 'usage' | 'session' | 'queue' | 'commands', value: Json, memberId = ''): this {
    return this.add({ type, value, memberId });
  }
}
