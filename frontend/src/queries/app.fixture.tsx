import { render } from '@testing-library/react';
import type { ReactNode } from 'react';
import { Weft, WeftContext } from '../state/weft';
import type { AppEvent } from '../transport/api';
import type { Sink, Transport } from '../transport/transport';

/** A backend that responds from a table, counts requests, and sends events. */
export class Backend {
  readonly asked: string[] = [];
  readonly answers: Record<string, unknown>;
  private sink: Sink<AppEvent> | null = null;

  constructor(answers: Record<string, unknown>) {
    this.answers = { Bootstrap: boot, ...answers };
  }

  /** Returns how often a command was called. */
  count(command: string): number {
    return this.asked.filter((one) => one === command).length;
  }

  tell(...events: AppEvent[]): void {
    this.sink?.events(events);
  }

  gap(): void {
    this.sink?.gap();
  }

  readonly transport = {
    kind: 'serve',
    call: async (command: string) => {
      this.asked.push(command);
      const answer = this.answers[command];
      if (answer instanceof Error) throw answer;
      return answer;
    },
    watchApp: (sink: Sink<AppEvent>) => {
      this.sink = sink;
      return () => {};
    },
    watch: () => () => {},
    onConnection: (listener: (connection: 'online') => void) => {
      listener('online');
      return () => {};
    },
  } as unknown as Transport;
}

const boot = { spaces: [], agents: [], problems: [], appearance: {}, toolCalls: { rules: [], servers: [] } };

/** Renders views with a backend. */
export function draw(backend: Backend, views: ReactNode): Weft {
  const weft = new Weft(backend.transport);
  weft.start();
  render(<WeftContext value={weft}>{views}</WeftContext>);
  return weft;
}
