import { applyEvents } from '../transcript/fold';
import { type Conversation, emptyConversation, stateKey } from '../transcript/model';
import type { Event, Json, Ref } from '../transcript/types';
import type { Cursor, Space } from '../transport/api';
import { blobText } from '../transport/blob';
import { Feed } from '../transport/feed';
import { asCommandError, type CommandError, type Place, type Transport } from '../transport/transport';
import { FrameJob } from './frame';
import { Store } from './store';
import { shortened, thinned } from './thin';
import { conversationOf, messagesOf } from './views';
import * as held from './window';

export interface SessionState {
  status: 'loading' | 'ready' | 'failed';
  error: CommandError | null;
  space: Space | null;
  conversation: Conversation;
  loading: 'before' | 'after' | null;
  /** Counts snapshots: what was measured and remembered before belongs to another list. */
  generation: number;
  /** Counts what the person sent from here. */
  sent: number;
  /** Why the agents of members could not be started ahead of a prompt, by the members' ids. */
  unready: Readonly<Record<string, CommandError>>;
}

/** What is streamed of a tool's input or output stays this long; the rest is pulled. */
const limits = { streamed: 64 << 10 };

/**
 * One space as the window holds it: a stretch of its transcript, kept up to date by its feed.
 * Events are applied once per frame.
 */
export class Session {
  readonly store = new Store<SessionState>({
    status: 'loading',
    error: null,
    space: null,
    conversation: emptyConversation,
    loading: null,
    generation: 0,
    sent: 0,
    unready: {},
  });
  readonly spaceId: string;
  /** Whether the person reads at the end: then what is far above may be dropped. */
  atEnd = true;
  private readonly transport: Transport;
  private feed: Feed | null = null;
  private place: Place | null = null;
  private pending: Event[] = [];
  private readonly frame = new FrameJob(() => this.flush());
  /** The parts of the state that are under way, by their blobs. */
  private readonly pulling = new Map<string, string>();
  private watching = false;
  private readonly prepared = new Set<string>();
  private opening = 0;

  constructor(transport: Transport, spaceId: string) {
    this.transport = transport;
    this.spaceId = spaceId;
  }

  /** Starts to keep up: from where it stood if it is held, else from a snapshot. */
  watch(): void {
    if (this.watching) return;
    this.watching = true;
    if (this.place === null) void this.open();
    else this.startFeed(this.place);
  }

  unwatch(): void {
    if (!this.watching) return;
    this.watching = false;
    this.opening++;
    this.frame.run();
    this.stopFeed();
  }

  /** Takes a snapshot: at first, after a gap, and to get back to the end. */
  async open(): Promise<void> {
    const opening = ++this.opening;
    this.stopFeed();
    this.frame.cancel();
    this.pending = [];
    try {
      const snapshot = await this.transport.call('OpenSpace', { spaceId: this.spaceId });
      if (opening !== this.opening) return;
      const { space, epoch, seq } = snapshot;
      this.place = { epoch, seq };
      this.store.set({
        status: 'ready',
        error: null,
        space,
        conversation: conversationOf(snapshot),
        loading: null,
        generation: this.store.get().generation + 1,
      });
      if (this.watching) this.startFeed(this.place);
    } catch (error) {
      if (opening === this.opening) this.store.set({ status: 'failed', error: asCommandError(error) });
    }
  }

  async loadBefore(): Promise<void> {
    const { conversation, loading } = this.store.get();
    const before = held.start(conversation);
    if (loading !== null || !conversation.hasBefore || before === null) return;
    await this.load('before', { before });
  }

  async loadAfter(): Promise<void> {
    const { conversation, loading } = this.store.get();
    const after = held.end(conversation);
    if (loading !== null || !conversation.hasAfter || after === null) return;
    await this.load('after', { after });
  }

  /** The person has sent something: the view goes to the end. */
  markSent(): void {
    this.store.set({ sent: this.store.get().sent + 1 });
  }

  /** Has a member's agent started, so that it can say what it offers. Once, unless the person asks again. */
  prepare(memberId: string, again = false): void {
    if (this.prepared.has(memberId) && !again) return;
    this.prepared.add(memberId);
    const { [memberId]: _, ...others } = this.store.get().unready;
    this.store.set({ unready: others });
    this.transport.call('PrepareAgent', { spaceId: this.spaceId, memberId }).catch((error: unknown) => {
      this.store.set({ unready: { ...this.store.get().unready, [memberId]: asCommandError(error) } });
    });
  }

  /** Draws runs as stopping before the backend has said so: all, or that of a member. */
  markStopping(memberId = ''): void {
    const { conversation } = this.store.get();
    const stops = (run: { memberId: string }) => memberId === '' || run.memberId === memberId;
    if (!conversation.runs.some(stops)) return;
    const runs = conversation.runs.map((run) => (stops(run) ? { ...run, stopping: true } : run));
    this.store.set({ conversation: { ...conversation, runs } });
  }

  setSpace(space: Space): void {
    if (this.store.get().space !== null) this.store.set({ space });
  }

  private async load(side: 'before' | 'after', at: { before: Cursor } | { after: Cursor }): Promise<void> {
    const generation = this.store.get().generation;
    this.store.set({ loading: side });
    try {
      const page = await this.transport.call('Page', {
        spaceId: this.spaceId,
        limit: held.held.page,
        ...at,
      });
      if (this.store.get().generation !== generation) return;
      this.frame.run();
      const { conversation } = this.store.get();
      const messages = messagesOf(page);
      if (side === 'before') {
        const grown = held.withBefore(conversation, messages, page.hasBefore);
        const over = held.weightOf(grown) > held.held.most;
        this.store.set({ conversation: over ? held.dropEnd(grown) : grown, loading: null });
        return;
      }
      // The end is reached: from here on the events continue, so it has to be a snapshot.
      if (!page.hasAfter) return await this.open();
      const grown = held.withAfter(conversation, messages, true);
      const over = held.weightOf(grown) > held.held.most;
      this.store.set({ conversation: over ? held.dropStart(grown) : grown, loading: null });
    } catch (error) {
      this.store.set({ loading: null });
      throw asCommandError(error);
    }
  }

  private startFeed(place: Place): void {
    const feed = new Feed(this.transport, this.spaceId, place, {
      apply: (events) => {
        this.place = feed.at;
        for (const event of events) this.pending.push(event);
        this.frame.ask();
      },
      reset: () => void this.open(),
    });
    this.feed = feed;
    feed.start();
  }

  private stopFeed(): void {
    this.feed?.stop();
    this.feed = null;
  }

  private flush(): void {
    const events = this.pending;
    this.pending = [];
    const before = this.store.get().conversation;
    const ended = new Set(events.flatMap((event) => (event.type === 'message_end' ? [event.messageId] : [])));
    let conversation = shortened(thinned(applyEvents(before, events, limits), ended));
    if (this.atEnd && !conversation.hasAfter && held.weightOf(conversation) > held.held.most) {
      conversation = held.dropStart(conversation);
    }
    if (conversation !== before) this.store.set({ conversation });
    for (const event of events) {
      const key = stateKey(event.type, 'memberId' in event ? event.memberId : undefined);
      if ('value' in event) this.pulling.delete(key);
      if ('ref' in event && event.ref !== undefined && event.type !== 'opaque')
        void this.pullState(key, event.ref);
    }
  }

  /** A part of the space's state that was too large for its event. */
  private async pullState(key: string, ref: Ref): Promise<void> {
    this.pulling.set(key, ref.hash);
    try {
      const value = JSON.parse(await blobText(ref, 4 << 20)) as Json;
      if (this.pulling.get(key) !== ref.hash) return;
      const { conversation } = this.store.get();
      this.store.set({ conversation: { ...conversation, state: { ...conversation.state, [key]: value } } });
    } catch {
      // It stays as if it was not there; the next one replaces it.
    }
  }
}
