import { t } from '../i18n';
import type { Event } from '../transcript/types';
import type { Answer, AppEvent, Command } from './api';
import { withSession } from './page';
import { Pulse } from './pulse';
import { StreamReader } from './sse';
import {
  type Arguments,
  asCommandError,
  CommandError,
  type Connection,
  errorOfRefusal,
  type Place,
  type Refusal,
  type Sink,
  type Transport,
  withTimeout,
} from './transport';

/**
 * Serve mode: commands use POST, events use Server-Sent Events, both with the session's cookie and the page's secret.
 */
export class HttpTransport implements Transport {
  readonly kind = 'serve';
  private connection: Connection = 'connecting';
  private readonly listeners = new Set<(connection: Connection) => void>();

  call<C extends Command>(command: C, ...request: Arguments<C>): Promise<Answer<C>> {
    return withTimeout(command, this.post(command, request[0]));
  }

  private async post<C extends Command>(command: C, request: unknown): Promise<Answer<C>> {
    let response: Response;
    try {
      response = await fetch(
        `/api/${command}`,
        withSession({
          method: 'POST',
          headers: { 'Content-Type': 'application/json' },
          body: JSON.stringify(request ?? {}),
        }),
      );
    } catch (error) {
      this.tell('offline');
      const detail = error instanceof Error ? error.message : '';
      throw new CommandError('offline', t('transport.offline'), detail);
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

  /** Keeps an event stream open. It uses fetch, because an EventSource can't send the page's header. */
  private listen<E>(url: () => string, sink: Sink<E>, tells = false): () => void {
    const stop = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    let wait = 500;
    let opened = false;
    let attempt = new AbortController();
    stop.signal.addEventListener('abort', () => attempt.abort());
    // A frozen process keeps its connections open; only its silence reveals it.
    const pulse = new Pulse(
      () => this.connection !== 'refused' && this.tell('offline'),
      () => {
        wait = 500;
        attempt.abort();
      },
    );
    if (tells) stop.signal.addEventListener('abort', pulse.start());
    const heard = () => {
      pulse.beat();
      if (tells) this.tell('online');
    };
    const begun = () => {
      wait = 500;
      if (tells) {
        this.tell('online');
        // Events of this topic sent in between are lost.
        if (opened) sink.gap();
      }
      opened = true;
    };
    const open = async () => {
      attempt = new AbortController();
      pulse.beat();
      try {
        const response = await fetch(url(), withSession({ signal: attempt.signal, cache: 'no-store' }));
        if (response.status === 401) this.tell('refused');
        if (response.ok && response.body !== null) {
          begun();
          await deliver(response.body, sink, stop.signal, heard);
        }
      } catch {
        // Weft exited, or the stream was interrupted.
      }
      if (stop.signal.aborted) return;
      if (tells && this.connection !== 'refused') this.tell('offline');
      timer = setTimeout(() => void open(), wait);
      wait = Math.min(wait * 2, 10_000);
    };
    void open();
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }

  private tell(connection: Connection): void {
    if (connection === this.connection) return;
    this.connection = connection;
    for (const listener of this.listeners) listener(connection);
  }
}

/** Passes on events until the stream ends. */
async function deliver<E>(
  body: ReadableStream<Uint8Array>,
  sink: Sink<E>,
  signal: AbortSignal,
  heard: () => void,
): Promise<void> {
  const stream = body.getReader();
  const text = new TextDecoder();
  const events = new StreamReader();
  for (;;) {
    const { done, value } = await stream.read();
    if (done || signal.aborted) return;
    heard();
    let batch: E[] = [];
    for (const event of events.read(text.decode(value, { stream: true }))) {
      if (event.name !== 'gap') {
        batch.push(JSON.parse(event.data) as E);
        continue;
      }
      if (batch.length > 0) sink.events(batch);
      batch = [];
      sink.gap();
    }
    if (batch.length > 0) sink.events(batch);
  }
}

/** Returns the error of a refused request. */
export async function failureOf(response: Response): Promise<CommandError> {
  try {
    return errorOfRefusal((await response.json()) as Refusal, response.statusText);
  } catch (error) {
    return new CommandError(
      'unknown',
      t('transport.status', { status: response.status }),
      asCommandError(error).message,
    );
  }
}
