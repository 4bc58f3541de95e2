import { applyEvents } from '../transcript/fold';
import { type Conversation, emptyConversation, type Run, stateKey } from '../transcript/model';
import type { Event, Json, Ref } from '../transcript/types';
import type { Cursor, Snapshot, Space, SpacePlace } from '../transport/api';
import { blobText } from '../transport/blob';
import { Feed } from '../transport/feed';
import { asCommandError, type CommandError, type Place, type Transport } from '../transport/transport';
import { FrameJob } from './frame';
import { endedBy, JoiningPage, type Known, knownBy, knows } from './join';
import { Store } from './store';
import { limits, shortened, thinned } from './thin';
import { conversationOf } from './views';
import * as held from './window';

export interface SessionState {
  status: 'loading' | 'ready' | 'failed';
  error: CommandError | null;
  space: Space | null;
  conversation: Conversation;
  loading: 'before' | 'after' | null;
  /** More is held than has to be: what is far from where the user reads can be dropped. */
  heavy: boolean;
  /** Counts snapshots: what was measured and remembered before belongs to another list. */
  generation: number;
  /** Counts what the user sent from here. */
  sent: number;
  /** Why the agents of members could not be started ahead of a prompt, by the members' ids. */
  unready: Readonly<Record<string, CommandError>>;
}

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
    heavy: false,
    generation: 0,
    sent: 0,
    unready: {},
  });
  readonly spaceId: string;
  /** Whether the user reads at the end: then what is far above may be dropped. */
  atEnd = true;
  private readonly transport: Transport;
  private feed: Feed | null = null;
  private place: Place | null = null;
  private pending: Event[] = [];
  /** What pages have brought that the events have yet to reach. */
  private known: Known[] = [];
  private readonly frame = new FrameJob(() => this.flush());
  /** The parts of the state that are under way, by their blobs. */
  private readonly pulling = new Map<string, string>();
  private watching = false;
  private readonly prepared = new Set<string>();
  private opening = 0;
  /** Is fulfilled once the newest snapshot that was asked for is there, or isn't. */
  private opened: Promise<void> = Promise.resolve();
  /** Counts the places that were jumped to: the last one wins. */
  private jumps = 0;

  constructor(transport: Transport, spaceId: string) {
    this.transport = transport;
    this.spaceId = spaceId;
  }

  /** Whether what is shown of it changes with a frame. */
  changesIn(frame: number): boolean {
    return this.frame.isIn(frame);
  }

  /** Starts to keep up: from where it was if it is held, else from a snapshot. */
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
  open(): Promise<void> {
    // One that was asked for since is waited for, too: what is there until then is the old stretch.
    const opened: Promise<void> = this.reopen().then(() =>
      this.opened === opened ? undefined : this.opened,
    );
    this.opened = opened;
    return opened;
  }

  private async reopen(): Promise<void> {
    const opening = ++this.opening;
    this.stopFeed();
    this.frame.cancel();
    this.pending = [];
    this.known = [];
    try {
      const snapshot = await this.transport.call('OpenSpace', { spaceId: this.spaceId });
      if (opening === this.opening) this.take(snapshot);
    } catch (error) {
      if (opening === this.opening) this.store.set({ status: 'failed', error: asCommandError(error) });
    }
  }

  /** Shows a snapshot, and keeps up from there. */
  take(snapshot: Snapshot): void {
    const { space, epoch, seq } = snapshot;
    this.place = { epoch, seq };
    this.store.set({
      status: 'ready',
      error: null,
      space,
      conversation: conversationOf(snapshot),
      loading: null,
      heavy: false,
      generation: this.store.get().generation + 1,
    });
    if (this.watching) this.startFeed(this.place);
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

  /** The view rests at a place: what is far from it is dropped where more is held than has to be. */
  rests(place: SpacePlace): void {
    const { conversation, heavy } = this.store.get();
    if (heavy) this.store.set({ conversation: held.dropAround(conversation, place), heavy: false });
  }

  /**
   * Shows the stretch around a place, however far it is, where that is not held already. The place is where it was when the
   * promise is fulfilled; the end is held only if the place is near it.
   */
  async openAt(place: SpacePlace): Promise<void> {
    const jump = ++this.jumps;
    // A snapshot that is still coming would take the place away again.
    await this.opened;
    if (jump !== this.jumps) return;
    for (let tries = 0; tries < 3 && !held.holds(this.store.get().conversation, place); tries++) {
      const generation = this.store.get().generation;
      const { messageId, segment } = place;
      const answer = await this.transport.call('Page', {
        spaceId: this.spaceId,
        limit: held.held.page,
        around: { messageId, segment },
      });
      if (jump !== this.jumps) return;
      // Up to the end the stretch is continued by events, so it has to begin with a snapshot.
      if (!answer.hasAfter) return await this.openNearEnd(place, jump);
      const page = new JoiningPage(answer);
      if (answer.epoch !== this.place?.epoch || !(await this.catchUp(page, generation))) {
        await this.open();
        if (jump !== this.jumps) return;
        continue;
      }
      if (jump !== this.jumps) return;
      if (this.store.get().generation !== generation) continue;
      const { conversation } = this.store.get();
      this.known = page.seq > (this.place?.seq ?? 0) ? [knownBy(page, emptyConversation, 'before')] : [];
      const { messages, hasBefore, hasAfter } = page;
      this.store.set({
        conversation: { ...conversation, messages, hasBefore, hasAfter },
        loading: null,
        heavy: false,
        generation: generation + 1,
      });
      return;
    }
  }

  /** Reads back from the end until a place near it is held. */
  private async openNearEnd(place: SpacePlace, jump: number): Promise<void> {
    if (this.store.get().conversation.hasAfter || this.place === null) await this.open();
    for (let pages = 0; pages < 20 && jump === this.jumps; pages++) {
      const { conversation, status } = this.store.get();
      const before = held.start(conversation);
      if (status !== 'ready' || before === null || !conversation.hasBefore) return;
      if (held.holds(conversation, place)) return;
      await this.load('before', { before });
    }
  }

  /** The user goes elsewhere within what is held: a place that is still being read is not shown any more. */
  stay(): void {
    this.jumps++;
  }

  /** The user has sent something: the view goes to the end. */
  markSent(): void {
    this.store.set({ sent: this.store.get().sent + 1 });
  }

  /** Has a member's agent started, so that it can say what it offers. Once, unless the user asks again. */
  prepare(memberId: string, again = false): void {
    if (this.prepared.has(memberId) && !again) return;
    this.prepared.add(memberId);
    const { [memberId]: _, ...others } = this.store.get().unready;
    this.store.set({ unready: others });
    this.transport.call('PrepareAgent', { spaceId: this.spaceId, memberId }).catch((error: unknown) => {
      this.store.set({ unready: { ...this.store.get().unready, [memberId]: asCommandError(error) } });
    });
  }

  /** Draws runs as stopping before the backend has said so: one, else that of a member, else all of the space. */
  markStopping(memberId = '', runId = ''): void {
    const { conversation } = this.store.get();
    const stops = (run: Run) =>
      runId === '' ? run.home === '' && (memberId === '' || run.memberId === memberId) : run.id === runId;
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
      const answer = await this.transport.call('Page', {
        spaceId: this.spaceId,
        limit: held.held.page,
        ...at,
      });
      if (this.store.get().generation !== generation) return;
      // The end is reached: from here on the events continue, so it has to be a snapshot.
      if (side === 'after' && !answer.hasAfter) return await this.open();
      const page = new JoiningPage(answer);
      if (answer.epoch !== this.place?.epoch || !(await this.catchUp(page, generation)))
        return await this.open();
      if (this.store.get().generation === generation) this.join(page, side, at);
    } catch (error) {
      this.store.set({ loading: null });
      throw asCommandError(error);
    }
  }

  /** Brings a page to where the held stretch is at least; false if that cannot be. */
  private async catchUp(page: JoiningPage, generation: number): Promise<boolean> {
    for (let tries = 0; tries < 5; tries++) {
      this.frame.run();
      const { place } = this;
      if (place === null || place.seq <= page.seq || this.store.get().generation !== generation) return true;
      const { epoch } = place;
      const since = await this.transport.call('Since', { spaceId: this.spaceId, epoch, seq: page.seq });
      if (since.reset || since.epoch !== epoch) return false;
      page.continue(since.events ?? [], since.seq);
    }
    return false;
  }

  private join(
    page: JoiningPage,
    side: 'before' | 'after',
    at: { before: Cursor } | { after: Cursor },
  ): void {
    const { conversation } = this.store.get();
    const now = 'before' in at ? held.start(conversation) : held.end(conversation);
    const asked = 'before' in at ? at.before : at.after;
    // What was next to it has been dropped meanwhile: it does not meet the stretch any more.
    if (now?.ord !== asked.ord || now.segment !== asked.segment) {
      this.store.set({ loading: null });
      return;
    }
    if (page.seq > (this.place?.seq ?? 0)) this.known.push(knownBy(page, conversation, side));
    const grown =
      side === 'before'
        ? held.withBefore(conversation, page.messages, page.hasBefore)
        : held.withAfter(conversation, page.messages, true);
    const weight = held.weightOf(grown);
    // Who has gone to the end since the page was asked for doesn't read above any more.
    const drop = side === 'before' && !this.atEnd ? held.dropEnd : held.dropStart;
    if (weight > held.held.bound) this.store.set({ conversation: drop(grown), loading: null, heavy: false });
    else this.store.set({ conversation: grown, loading: null, heavy: weight > held.held.most });
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
    const known = (event: Event) => this.known.some((page) => knows(page, event));
    const applied = applyEvents(before, events, limits, this.known.length > 0 ? known : undefined);
    const { seq } = this.place ?? { seq: 0 };
    this.known = this.known.filter((page) => page.seq > seq);
    let conversation = shortened(thinned(applied, endedBy(events)));
    const heavy = !conversation.hasAfter && held.weightOf(conversation) > held.held.most;
    if (heavy && this.atEnd) conversation = held.dropStart(conversation);
    if (conversation !== before) this.store.set({ conversation, ...(heavy && { heavy: !this.atEnd }) });
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
