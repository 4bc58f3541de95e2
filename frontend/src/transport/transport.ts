import { t } from '../i18n';
import { told } from '../i18n/said';
import type { Event, Said } from '../transcript/types';
import type { Answer, AppEvent, Command, Request } from './api';

/** Where a space's events are continued: the last one that was applied. */
export interface Place {
  epoch: number;
  seq: number;
}

export interface Sink<E> {
  /** Events in the order they were sent. Some may have come before, some may be missing. */
  events(events: readonly E[]): void;
  /** Events were lost for good: read the state again. */
  gap(): void;
}

export type Connection = 'connecting' | 'online' | 'offline' | 'refused';

/** The one way to the backend. Two of them: the window's bindings, and HTTP with SSE. */
export interface Transport {
  readonly kind: 'window' | 'serve';
  /** Rejects with a [CommandError], always, and never hangs. */
  call<C extends Command>(command: C, ...request: Arguments<C>): Promise<Answer<C>>;
  /** Watches a space's events after a place until the returned function is called. */
  watch(spaceId: string, place: () => Place, sink: Sink<Event>): () => void;
  watchApp(sink: Sink<AppEvent>): () => void;
  /** Tells the state of the connection, at once and on every change. */
  onConnection(listener: (connection: Connection) => void): () => void;
}

export type Arguments<C extends Command> = Request<C> extends null ? [] : [request: Request<C>];

/** Why a command failed: a code for programs, a sentence for people, which is in the language that is chosen. */
export class CommandError extends Error {
  readonly code: string;
  readonly detail: string;

  constructor(code: string, message: string, detail = '', said?: Said) {
    super(message);
    // It is read while drawing, in the language of that moment.
    Object.defineProperty(this, 'message', { get: () => told({ message, said }) });
    this.name = 'CommandError';
    this.code = code;
    this.detail = detail;
  }
}

/** An error as the backend sends it. */
export interface Refusal {
  code?: string;
  message?: string;
  detail?: string;
  said?: Said;
}

/** The error of a refusal; `otherwise` is what it says where it has no message. */
export function refused(
  { code = 'unknown', message, detail, said }: Refusal,
  otherwise: string,
): CommandError {
  return new CommandError(code, message ?? otherwise, detail, said);
}

export function asCommandError(error: unknown): CommandError {
  if (error instanceof CommandError) return error;
  const text = error instanceof Error ? error.message : String(error);
  // The window's binding rejects with the JSON of what serve mode answers with.
  try {
    const body: unknown = JSON.parse(text);
    if (typeof body === 'object' && body !== null && 'message' in body) {
      return refused(body as Refusal, '');
    }
  } catch {
    // Not JSON: a fault of the bridge itself.
  }
  return new CommandError('unknown', text);
}

const second = 1000;
const defaultLimit = 30 * second;
/** Commands that start processes or wait for the user take longer than the others. */
const limits: Partial<Record<Command, number>> = {
  // The first start of an agent may have to download it.
  TestAgent: 240 * second,
  PrepareAgent: 240 * second,
  SetOption: 240 * second,
  EarlierSessions: 240 * second,
  ImportSession: Number.POSITIVE_INFINITY,
  RescanAgents: 60 * second,
  // Ends processes and deletes many files.
  CancelInstall: 120 * second,
  RemoveInstalledAgent: 120 * second,
  RestartAgent: 60 * second,
  // What the agent can take is known once it runs.
  SendPrompt: 240 * second,
  PickFolder: Number.POSITIVE_INFINITY,
  SignIn: Number.POSITIVE_INFINITY,
  SavePermissionHistory: Number.POSITIVE_INFINITY,
  SaveExport: Number.POSITIVE_INFINITY,
  ExportText: 120 * second,
};

/**
 * The promise, or an error once it has taken too long. A binding of the window whose Go side
 * panicked never settles its promise.
 */
export function settled<T>(command: Command, promise: Promise<T>): Promise<T> {
  const limit = limits[command] ?? defaultLimit;
  if (limit === Number.POSITIVE_INFINITY) return promise;
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      reject(new CommandError('timeout', t('transport.timeout', { n: limit / second })));
    }, limit);
    promise.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
