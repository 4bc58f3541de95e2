import { t } from '../i18n';
import { translated } from '../i18n/said';
import type { Event, Said } from '../transcript/types';
import type { Answer, AppEvent, Command, Request } from './api';

/** Position in the events of a space: the last one that was applied. */
export interface Place {
  epoch: number;
  seq: number;
}

export interface Sink<E> {
  /** Receives events in the order they were sent. Some may be repeated or missing. */
  events(events: readonly E[]): void;
  /** Events were lost for good, so the state must be read again. */
  gap(): void;
}

export type Connection = 'connecting' | 'online' | 'offline' | 'refused';

/** The connection to the backend. There are two: the window's bindings, and HTTP with SSE. */
export interface Transport {
  readonly kind: 'window' | 'serve';
  /** Always rejects with a [CommandError] and never hangs. */
  call<C extends Command>(command: C, ...request: Arguments<C>): Promise<Answer<C>>;
  /** Receives the events of a space after a position until the returned function is called. */
  watch(spaceId: string, place: () => Place, sink: Sink<Event>): () => void;
  watchApp(sink: Sink<AppEvent>): () => void;
  /** Reports the state of the connection, at once and on every change. */
  onConnection(listener: (connection: Connection) => void): () => void;
}

export type Arguments<C extends Command> = Request<C> extends null ? [] : [request: Request<C>];

/** Why a command failed: a code for programs and a translated message for users. */
export class CommandError extends Error {
  readonly code: string;
  readonly detail: string;

  constructor(code: string, message: string, detail = '', said?: Said) {
    super(message);
    // Translated when it is read, so it follows the current language.
    Object.defineProperty(this, 'message', { get: () => translated({ message, said }) });
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

/** Creates the error of a refusal; `otherwise` is used if it has no message. */
export function errorOfRefusal(
  { code = 'unknown', message, detail, said }: Refusal,
  otherwise: string,
): CommandError {
  return new CommandError(code, message ?? otherwise, detail, said);
}

export function asCommandError(error: unknown): CommandError {
  if (error instanceof CommandError) return error;
  const text = error instanceof Error ? error.message : String(error);
  // The window's binding rejects with the JSON that serve mode responds with.
  try {
    const body: unknown = JSON.parse(text);
    if (typeof body === 'object' && body !== null && 'message' in body) {
      return errorOfRefusal(body as Refusal, '');
    }
  } catch {
    // Not JSON: an error of the binding itself.
  }
  return new CommandError('unknown', text);
}

const second = 1000;
const defaultLimit = 30 * second;
/** Timeouts of commands that start processes or wait for the user. */
const limits: Partial<Record<Command, number>> = {
  // Starting an agent for the first time may download it.
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
  // The agent's capabilities are only known once it runs.
  SendPrompt: 240 * second,
  PickFolder: Number.POSITIVE_INFINITY,
  SignIn: Number.POSITIVE_INFINITY,
  SavePermissionHistory: Number.POSITIVE_INFINITY,
  SaveExport: Number.POSITIVE_INFINITY,
  ExportText: 120 * second,
};

/** Adds a timeout to a promise. A binding of the window whose Go side panicked never settles its promise. */
export function withTimeout<T>(command: Command, promise: Promise<T>): Promise<T> {
  const limit = limits[command] ?? defaultLimit;
  if (limit === Number.POSITIVE_INFINITY) return promise;
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      reject(new CommandError('timeout', t('transport.timeout', { n: limit / second })));
    }, limit);
    promise.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
