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
import * as loaded from './window';

export interface SessionState {
  status: 'loading' | 'ready' | 'failed';
  error: CommandError | null;
  space: Space | null;
  conversation: Conversation;
  loading: 'before' | 'after' | null;
  /** More is loaded than needed: what is far from the user's position can be dropped. */
  heavy: boolean;
  /** Incremented with each snapshot, which invalidates earlier measurements and positions. */
  generation: number;
  /** Number of prompts that the user sent in this window. */
  sent: number;
  /** Why agents of members could not be started ahead of a prompt, by member id. */
  startErrors: Readonly<Record<string, CommandError>>;
}

/** A space in this window: a range of its transcript, kept up to date by events, which are applied once per frame. */
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
    startErrors: {},
  });
  readonly spaceId: string;
  /** Whether the user is at the end, so that distant earlier messages may be dropped. */
  atEnd = true;
  private readonly transport: Transport;
  private feed: Feed | null = null;
  private place: Place | null = null;
  private pending: Event[] = [];
  /** What pages contain that the events haven't reached yet. */
  private known: Known[] = [];
  private readonly frame = new FrameJob(() => this.flush());
  /** State blobs that are loading. */
  private readonly pulling = new Map<string, string>();
  private watching = false;
  private readonly prepared = new Set<string>();
  private opening = 0;
  /** Fulfilled once the latest requested snapshot has arrived or failed. */
  private opened: Promise<void> = Promise.resolve();
  /** Counts jumps: the last one wins. */
  private jumps = 0;

  constructor(transport: Transport, spaceId: string) {
    this.transport = transport;
    this.spaceId = spaceId;
  }

  /** Reports whether its visible state changes in a frame. */
  changesIn(frame: number): boolean {
    return this.frame.isIn(frame);
  }

  /** Starts receiving updates: from the last known event if it is loaded, otherwise from a snapshot. */
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

  /** Loads a snapshot: initially, after a gap, and to return to the end. */
  open(): Promise<void> {
    // Also wait for a snapshot requested later: until then, the old range is shown.
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

  /** Shows a snapshot and continues from there. */
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
    const before = loaded.start(conversation);
    if (loading !== null || !conversation.hasBefore || before === null) return;
    await this.load('before', { before });
  }

  async loadAfter(): Promise<void> {
    const { conversation, loading } = this.store.get();
    const after = loaded.end(conversation);
    if (loading !== null || !conversation.hasAfter || after === null) return;
    await this.load('after', { after });
  }

  /** Called when the view stops scrolling: drops what is far away if too much is loaded. */
  dropDistant(place: SpacePlace): void {
    const { conversation, heavy } = this.store.get();
    if (heavy) this.store.set({ conversation: loaded.dropAround(conversation, place), heavy: false });
  }

  /**
   * Loads the range around a location, unless it is already loaded. The location is loaded when the promise is
   * fulfilled; the end is only loaded if it is near.
   */
  async openAt(place: SpacePlace): Promise<void> {
    const jump = ++this.jumps;
    // A pending snapshot would replace the location again.
    await this.opened;
    if (jump !== this.jumps) return;
    for (let tries = 0; tries < 3 && !loaded.holds(this.store.get().conversation, place); tries++) {
      const generation = this.store.get().generation;
      const { messageId, segment } = place;
      const answer = await this.transport.call('Page', {
        spaceId: this.spaceId,
        limit: loaded.limits.page,
        around: { messageId, segment },
      });
      if (jump !== this.jumps) return;
      // Events only continue a range up to the end, so it must start from a snapshot.
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

  /** Loads pages backwards from the end until they reach a location near it. */
  private async openNearEnd(place: SpacePlace, jump: number): Promise<void> {
    if (this.store.get().conversation.hasAfter || this.place === null) await this.open();
    for (let pages = 0; pages < 20 && jump === this.jumps; pages++) {
      const { conversation, status } = this.store.get();
      const before = loaded.start(conversation);
      if (status !== 'ready' || before === null || !conversation.hasBefore) return;
      if (loaded.holds(conversation, place)) return;
      await this.load('before', { before });
    }
  }

  /** Called when the user moves within the loaded range: cancels a pending jump. */
  cancelJump(): void {
    this.jumps++;
  }

  /** Called when the user sent something: the view scrolls to the end. */
  markSent(): void {
    this.store.set({ sent: this.store.get().sent + 1 });
  }

  /** Starts a member's agent, so that its options become known. Only once, unless the user asks again. */
  prepare(memberId: string, again = false): void {
    if (this.prepared.has(memberId) && !again) return;
    this.prepared.add(memberId);
    const { [memberId]: _, ...others } = this.store.get().startErrors;
    this.store.set({ startErrors: others });
    this.transport.call('PrepareAgent', { spaceId: this.spaceId, memberId }).catch((error: unknown) => {
      this.store.set({ startErrors: { ...this.store.get().startErrors, [memberId]: asCommandError(error) } });
    });
  }

  /** Shows runs as stopping before the backend confirms it: one run, all of a member, or all of the space. */
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
        limit: loaded.limits.page,
        ...at,
      });
      if (this.store.get().generation !== generation) return;
      // The end is reached. Events continue from here, so a snapshot is needed.
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

  /** Brings a page at least to the event of the loaded range. Returns false if that isn't possible. */
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
    const now = 'before' in at ? loaded.start(conversation) : loaded.end(conversation);
    const asked = 'before' in at ? at.before : at.after;
    // The neighboring part was dropped meanwhile, so the page no longer joins the range.
    if (now?.ord !== asked.ord || now.segment !== asked.segment) {
      this.store.set({ loading: null });
      return;
    }
    if (page.seq > (this.place?.seq ?? 0)) this.known.push(knownBy(page, conversation, side));
    const grown =
      side === 'before'
        ? loaded.withBefore(conversation, page.messages, page.hasBefore)
        : loaded.withAfter(conversation, page.messages, true);
    const weight = loaded.weightOf(grown);
    // If the user went to the end meanwhile, they no longer read above.
    const drop = side === 'before' && !this.atEnd ? loaded.dropEnd : loaded.dropStart;
    if (weight > loaded.limits.bound)
      this.store.set({ conversation: drop(grown), loading: null, heavy: false });
    else this.store.set({ conversation: grown, loading: null, heavy: weight > loaded.limits.most });
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
    const heavy = !conversation.hasAfter && loaded.weightOf(conversation) > loaded.limits.most;
    if (heavy && this.atEnd) conversation = loaded.dropStart(conversation);
    if (conversation !== before) this.store.set({ conversation, ...(heavy && { heavy: !this.atEnd }) });
    for (const event of events) {
      const key = stateKey(event.type, 'memberId' in event ? event.memberId : undefined);
      if ('value' in event) this.pulling.delete(key);
      if ('ref' in event && event.ref !== undefined && event.type !== 'opaque')
        void this.pullState(key, event.ref);
    }
  }

  /** Loads a part of the space's state that was too large for its event. */
  private async pullState(key: string, ref: Ref): Promise<void> {
    this.pulling.set(key, ref.hash);
    try {
      const value = JSON.parse(await blobText(ref, 4 << 20)) as Json;
      if (this.pulling.get(key) !== ref.hash) return;
      const { conversation } = this.store.get();
      this.store.set({ conversation: { ...conversation, state: { ...conversation.state, [key]: value } } });
    } catch {
      // It stays missing until the next update replaces it.
    }
  }
}
