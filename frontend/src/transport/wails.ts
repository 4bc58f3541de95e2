import type { Event } from '../transcript/types';
import type { Answer, AppEvent, Command } from './api';
import { takeEarlyResponse } from './earlyResponse';
import {
  type Arguments,
  asCommandError,
  type Connection,
  type Place,
  type Sink,
  type Transport,
  withTimeout,
} from './transport';

interface Payload {
  topic: string;
  events?: unknown[] | null;
  gap?: boolean;
}

declare global {
  interface Window {
    go?: { main?: { App?: { Invoke(method: string, request: string): Promise<string> } } };
    runtime?: {
      EventsOn(name: string, listener: (payload: string) => void): () => void;
      WindowSetTitle?(title: string): void;
    };
  }
}

/** Reports whether this page is in Weft's own window. */
export function inWindow(): boolean {
  return window.go?.main?.App !== undefined && window.runtime !== undefined;
}

/** The window's transport: one bound method for commands, and one Wails event that carries every topic. */
export class WailsTransport implements Transport {
  readonly kind = 'window';
  private readonly invoke: (method: string, request: string) => Promise<string>;
  private readonly spaces = new Map<string, Sink<Event>>();
  private readonly apps = new Set<Sink<AppEvent>>();
  private handled = 0;

  constructor() {
    const app = window.go?.main?.App;
    if (app === undefined || window.runtime === undefined)
      throw new Error('this page is not in a window of Weft');
    this.invoke = (method, request) => app.Invoke(method, request);
    // A single permanent listener: removing the last one would also drop Go's listeners of that name.
    window.runtime.EventsOn('weft', (payload) => this.receive(payload));
  }

  call<C extends Command>(command: C, ...request: Arguments<C>): Promise<Answer<C>> {
    return withTimeout(command, this.send(command, request[0]));
  }

  private async send<C extends Command>(command: C, request: unknown): Promise<Answer<C>> {
    try {
      const text = JSON.stringify(request ?? {});
      const answer = await (takeEarlyResponse(command, text) ?? this.invoke(command, text));
      return (answer === '' ? undefined : JSON.parse(answer)) as Answer<C>;
    } catch (error) {
      throw asCommandError(error);
    }
  }

  watch(spaceId: string, place: () => Place, sink: Sink<Event>): () => void {
    this.spaces.set(spaceId, sink);
    const started = this.call('Watch', { spaceId, ...place() }).catch(() => {
      if (this.spaces.get(spaceId) === sink) sink.gap();
    });
    return () => {
      if (this.spaces.get(spaceId) !== sink) return;
      this.spaces.delete(spaceId);
      // Calls may overtake each other: an end must come neither before its start nor after the next one.
      void started.then(async () => {
        if (!this.spaces.has(spaceId)) await this.call('Unwatch', { spaceId }).catch(() => {});
      });
    };
  }

  watchApp(sink: Sink<AppEvent>): () => void {
    this.apps.add(sink);
    // This also tells Go that a new page starts, which knows nothing of earlier events.
    this.call('Watch', { spaceId: '', epoch: 0, seq: 0 }).catch(() => sink.gap());
    return () => this.apps.delete(sink);
  }

  onConnection(listener: (connection: Connection) => void): () => void {
    listener('online');
    return () => {};
  }

  private receive(raw: string): void {
    try {
      const payload = JSON.parse(raw) as Payload;
      if (payload.topic === 'app') {
        for (const sink of this.apps) deliver(sink, payload);
      } else {
        const sink = this.spaces.get(payload.topic.replace(/^space:/, ''));
        if (sink !== undefined) deliver(sink, payload);
      }
    } finally {
      this.acknowledge(raw.length);
    }
  }

  /** Anything unacknowledged counts as in flight, even without listeners. */
  private acknowledge(units: number): void {
    if (this.handled === 0) {
      queueMicrotask(() => {
        const bytes = this.handled;
        this.handled = 0;
        void this.call('Ack', { bytes }).catch(() => {});
      });
    }
    this.handled += units;
  }
}

function deliver<E>(sink: Sink<E>, payload: Payload): void {
  if (payload.gap === true) sink.gap();
  else if (payload.events) sink.events(payload.events as E[]);
}
