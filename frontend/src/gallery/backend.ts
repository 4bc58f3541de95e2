import type { Event } from '../transcript/types';
import type {
  Agent,
  Answer,
  AppEvent,
  Command,
  Place as FilePlace,
  Install,
  Problem,
  Request,
  Space,
  SpaceOrder,
} from '../transport/api';
import { CommandError, type Connection, type Sink, type Transport } from '../transport/transport';

export type Answers = {
  [C in Command]?: Answer<C> | CommandError | ((request: Request<C>) => Answer<C> | Promise<Answer<C>>);
};

/** The backend data of a gallery section. */
export interface Scene {
  /** Behave as in the window of the app, not as in a browser. */
  window?: true;
  spaces?: readonly Space[];
  /** Order of the spaces. Unordered by default. */
  order?: SpaceOrder;
  /** Defaults to the agents of the gallery. */
  agents?: readonly Agent[];
  problems?: readonly Problem[];
  connection?: Connection;
  /** Events of a space, by its id. */
  talks?: Readonly<Record<string, readonly Event[]>>;
  installs?: readonly Install[];
  places?: Readonly<Record<string, FilePlace>>;
  /** Number of files to review in a space, by its id. */
  changes?: Readonly<Record<string, number>>;
  answers?: Answers;
}

/** Never settles, for views that are still loading. */
export const forever = () => new Promise<never>(() => {});

/** A backend that responds from a table. It changes nothing and never uses the network. */
export class GalleryTransport implements Transport {
  readonly kind: Transport['kind'];
  private readonly scene: Scene;
  private readonly answers: Answers;

  constructor(scene: Scene, answers: Answers) {
    this.scene = scene;
    this.kind = scene.window === true ? 'window' : 'serve';
    this.answers = { ...answers, ...scene.answers };
  }

  async call<C extends Command>(command: C, ...request: unknown[]): Promise<Answer<C>> {
    const answer: unknown = this.answers[command];
    if (answer instanceof Error) throw answer;
    if (typeof answer === 'function') return await answer(request[0]);
    if (answer !== undefined) return answer as Answer<C>;
    if (command === 'OpenSpace') return this.open(request[0] as Request<'OpenSpace'>) as Answer<C>;
    throw new CommandError('unsupported', `The gallery has no answer to ${command}.`);
  }

  watch(spaceId: string, place: () => { seq: number }, sink: Sink<Event>): () => void {
    const { seq } = place();
    sink.events((this.scene.talks?.[spaceId] ?? []).filter((event) => event.seq > seq));
    return () => {};
  }

  watchApp(sink: Sink<AppEvent>): () => void {
    const { installs = [], places = {}, changes = {} } = this.scene;
    sink.events([
      ...(installs.length === 0 ? [] : [{ type: 'installs', installs: [...installs] } as AppEvent]),
      ...Object.entries(places).map(([spaceId, place]) => ({ type: 'place', spaceId, place }) as AppEvent),
      ...Object.entries(changes).map(([spaceId, files]) => ({ type: 'changes', spaceId, files }) as AppEvent),
    ]);
    return () => {};
  }

  onConnection(listener: (connection: Connection) => void): () => void {
    listener(this.scene.connection ?? 'online');
    return () => {};
  }

  private open({ spaceId }: { spaceId: string }): Answer<'OpenSpace'> {
    const space = this.scene.spaces?.find(({ id }) => id === spaceId);
    if (space === undefined) throw new CommandError('not_found', 'The space was not found.');
    const page = { messages: [], hasBefore: false, hasAfter: false, epoch: 1, seq: 0 };
    return { space, epoch: 1, seq: 0, page, state: {}, runs: [], run: null };
  }
}
