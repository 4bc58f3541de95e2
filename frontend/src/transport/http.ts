import type { Event } from '../transcript/types';
import type { Answer, AppEvent, Command } from './api';
import {
  type Arguments,
  asCommandError,
  CommandError,
  type Connection,
  type Place,
  type Sink,
  settled,
  type Transport,
} from './transport';

/** Serve mode: commands as POST, events as Server-Sent Events, both with the session's cookie. */
export class HttpTransport implements Transport {
  readonly kind = 'serve';
  private connection: Connection = 'connecting';
  private readonly listeners = new Set<(connection: Connection) => void>();

  call<C extends Command>(command: C, ...request: Arguments<C>): Promise<Answer<C>> {
    return settled(command, this.post(command, request[0]));
  }

  private async post<C extends Command>(command: C, request: unknown): Promise<Answer<C>> {
    let response: Response;
    try {
      response = await fetch(`/api/${command}`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify(request ?? {}),
        credentials: 'same-origin',
      });
    } catch (error) {
      this.tell('offline');
      const detail = error instanceof Error ? error.message : '';
      throw new CommandError('offline', 'Weft does not answer. Is `weft serve` still running?', detail);
    }
    if (response.ok) {
      const text = await response.text();
      return (text === '' ? undefined : JSON.parse(text)) as Answer<C>;
    }
    if (response.status === 401) this.tell('refused');
    throw await failureOf(response);
  }

  watch(spaceId: string, place: () => Place, sink: Sink<Event>): () => void {
    const url = () => {
      const { epoch, seq } = place();
      return `/api/spaces/${encodeURIComponent(spaceId)}/events?epoch=${epoch}&since=${seq}`;
    };
    return this.listen(url, sink);
  }

  watchApp(sink: Sink<AppEvent>): () => void {
    return this.listen(() => '/api/events', sink, true);
  }

  onConnection(listener: (connection: Connection) => void): () => void {
    this.listeners.add(listener);
    listener(this.connection);
    return () => this.listeners.delete(listener);
  }

  /** Keeps an EventSource open. The browser reconnects by itself unless it was refused. */
  private listen<E>(url: () => string, sink: Sink<E>, tells = false): () => void {
    let source: EventSource;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let wait = 500;
    let opened = false;
    const open = () => {
      source = new EventSource(url());
      source.onopen = () => {
        wait = 500;
        if (tells) {
          this.tell('online');
          // What happened in between is not kept for this topic.
          if (opened) sink.gap();
        }
        opened = true;
      };
      source.onmessage = (message: MessageEvent<string>) => sink.events([JSON.parse(message.data) as E]);
      source.addEventListener('gap', () => sink.gap());
      source.onerror = () => {
        if (tells && this.connection !== 'refused') this.tell('offline');
        if (source.readyState !== EventSource.CLOSED) return;
        timer = setTimeout(open, wait);
        wait = Math.min(wait * 2, 10_000);
      };
    };
    open();
    return () => {
      clearTimeout(timer);
      source.close();
    };
  }

  private tell(connection: Connection): void {
    if (connection === this.connection) return;
    this.connection = connection;
    for (const listener of this.listeners) listener(connection);
  }
}

async function failureOf(response: Response): Promise<CommandError> {
  try {
    const body = (await response.json()) as { code?: string; message?: string; detail?: string };
    return new CommandError(body.code ?? 'unknown', body.message ?? response.statusText, body.detail ?? '');
  } catch (error) {
    return new CommandError('unknown', `Weft answered ${response.status}.`, asCommandError(error).message);
  }
}

/**
 * Exchanges the token of the printed address for the session's cookie, and takes it out of the
 * address bar and the history.
 */
export async function startSession(): Promise<void> {
  const token = /[#&]token=([^&]+)/.exec(window.location.hash)?.[1];
  if (token === undefined) return;
  window.history.replaceState(null, '', window.location.pathname + window.location.search);
  await fetch('/api/session', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ token: decodeURIComponent(token) }),
    credentials: 'same-origin',
  });
}
