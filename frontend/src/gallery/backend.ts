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

/** What the gallery shows of a backend. */
export interface Scene {
  /** As in the window of the app, and not in a browser. */
  window?: true;
  spaces?: readonly Space[];
  /** How they are ordered; not at all, if left out. */
  order?: SpaceOrder;
  /** Those of the gallery, if left out. */
  agents?: readonly Agent[];
  problems?: readonly Problem[];
  connection?: Connection;
  /** What was said in a space, by its id. */
  talks?: Readonly<Record<string, readonly Event[]>>;
  installs?: readonly Install[];
  places?: Readonly<Record<string, FilePlace>>;
  /** How many files of a space need review. */
  changes?: Readonly<Record<string, number>>;
  answers?: Answers;
}

/** Never settles: something that is loading for as long as it is looked at. */
export const forever = () => new Promise<never>(() => {});

/** A backend that answers from a table. It changes nothing, and reaches no network. */
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
