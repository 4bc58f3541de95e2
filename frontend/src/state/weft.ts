import { hashKey, type QueryKey, replaceEqualDeep } from '@tanstack/react-query';
import { createContext, useContext } from 'react';
import { newCache } from '../cache/client';
import { outdatedBy } from '../cache/invalidate';
import { Refresher } from '../cache/refresher';
import type {
  AppEvent,
  Appearance,
  Install,
  Place,
  Snapshot,
  Space,
  SpaceOrder,
  SpacePlace,
  ToolCalls,
} from '../transport/api';
import { asCommandError, type Transport } from '../transport/transport';
import { Answered } from './answered';
import { AppearanceSaver } from './appearance';
import { type Dialog, type DialogState, noDialogs } from './dialogs';
import { Drafts } from './drafts';
import { EventCounts } from './eventCounts';
import { exitScreen } from './exitScreen';
import { FrameJob } from './frame';
import { GlobalSearch } from './globalSearch';
import { type InboxItem, inboxOf } from './inbox';
import { messagePlace, readAddress, readNewSpace } from './link';
import { isAutomatic } from './list';
import { firstList, type ListState } from './listState';
import { say, showFailure } from './notify';
import { aboutOf, initialServerState, type ServerState } from './server';
import { Session } from './session';
import type { SettingsSection } from './settingsPlace';
import {
  type FilePlace,
  initialShown,
  isOverlay,
  type Mark,
  type PanelName,
  type Screen,
  type SettingsView,
  type ShownState,
  type View,
} from './shown';
import { Store } from './store';
import { readCalls } from './toolCalls';
import { writeKept } from './ui';

/** How many sessions stay loaded, so that returning to a space is instant. */
const mostSessions = 4;

/** A request to show; with an empty id, its space. */
export interface RequestTarget {
  spaceId: string;
  requestId: string;
}

/** The frontend's state outside of single spaces: data from the backend, what the window shows, and open dialogs. */
export class Weft {
  readonly server: Store<ServerState>;
  /** The spaces that the user opened in this window, most recent first. */
  visited: readonly string[] = [];
  readonly shown: Store<ShownState>;
  readonly dialogs: Store<DialogState>;
  /** State of the space list and its selection. */
  readonly list: Store<ListState>;
  /** Unsent text. */
  readonly drafts: Drafts;
  readonly transport: Transport;
  /** The user's answers in this window, by the ids of requests and calls. */
  readonly answered = new Answered();
  /** The last search of all spaces and its results. */
  readonly globalSearch: GlobalSearch;
  /** Cached responses for the hooks in src/queries. */
  readonly queries = newCache();
  /** Returns the user's position in the open space. Set by the visible transcript. */
  reading: { spaceId: string; view: () => View | null } | null = null;
  /** The message and segment at the top of that transcript. */
  readonly readingPosition = new Store<{ spaceId: string; ord: number; segment: number }>({
    ...{ spaceId: '', ord: 0, segment: 0 },
  });
  /** A request from outside the window, until it is shown; '' for none. */
  readonly externalRequest = new Store<RequestTarget>({ spaceId: '', requestId: '' });
  private readonly refresher = new Refresher(this.queries);
  /** Buffers for events that arrive while everything is loading; see `listen`. */
  private readonly listeners = new Set<AppEvent[]>();
  /** What events were about, by space ids and cache keys. */
  private readonly eventCounts = new EventCounts();
  private readonly sessions = new Map<string, Session>();
  private readonly appearance: AppearanceSaver;
  /** Space events to apply in the next frame, in order. */
  private queuedEvents: AppEvent[] = [];
  private readonly applyQueued = new FrameJob(
    () => {
      const events = this.queuedEvents;
      this.queuedEvents = [];
      this.server.batch(() => {
        for (const event of events) this.receive(event);
      });
    },
    // The visible conversation has priority: a request isn't painted later because the list is drawn in the same frame.
    (frame) => this.opened(this.shown.get().selected ?? '')?.changesIn(frame) === true,
  );

  private panelOpened = false;

  constructor(transport: Transport) {
    this.transport = transport;
    this.server = new Store(initialServerState(transport.kind));
    this.shown = new Store(initialShown());
    let { panel, preview } = this.shown.get();
    this.shown.subscribe(() => {
      const next = this.shown.get();
      // Each opened file counts as a new panel.
      if (next.panel !== panel || next.preview !== preview) this.panelOpened = next.panel !== null;
      ({ panel, preview } = next);
    });
    this.dialogs = new Store({ ...noDialogs, beginIn: readNewSpace(window.location.hash) });
    this.globalSearch = new GlobalSearch(transport);
    this.list = new Store(firstList());
    this.drafts = new Drafts(transport, say);
    this.appearance = new AppearanceSaver(transport, (appearance) => this.server.set({ appearance }));
  }

  /** Reports whether this is the app window, not a browser. */
  get inWindow(): boolean {
    return this.transport.kind === 'window';
  }

  /** Loads everything and keeps it up to date for the lifetime of the page. */
  start(): void {
    this.transport.onConnection((connection) => {
      this.server.set({ connection });
      if (connection === 'online') this.drafts.flushAll();
    });
    this.transport.watchApp({
      events: (events) => {
        for (const event of events) this.queueEvent(event);
      },
      gap: () => {
        // Events may have been missed meanwhile.
        this.refresher.all();
        this.eventCounts.all();
        this.drafts.refresh();
        void this.load();
      },
    });
    window.addEventListener('blur', () => this.drafts.flushAll());
    document.addEventListener('visibilitychange', () => document.hidden && this.drafts.flushAll());
    window.addEventListener('pagehide', () => this.drafts.handOver());
    void this.load().then(() => this.drafts.adopt(this.server.get().spaces.map(({ id }) => id)));
  }

  async load(): Promise<void> {
    const told = this.listen();
    try {
      const boot = await this.transport.call('Bootstrap', { spaceId: this.toOpen() });
      const { version } = this.server.get().about;
      if (!this.inWindow && version !== '' && version !== boot.version) {
        // Weft was updated and expects a new page.
        window.location.reload();
        return;
      }
      this.applyQueued.run();
      const spaces = inActivity(boot.spaces ?? []);
      this.settle(spaces, boot.spacesUntil > 0);
      this.takeOpened(boot.opened);
      this.appearance.begin(boot.appearance);
      this.server.set({
        status: 'ready',
        error: null,
        about: aboutOf(boot),
        spaces,
        order: boot.order,
        agents: boot.agents ?? [],
        toolCalls: readCalls(boot.toolCalls),
        problems: boot.problems ?? [],
      });
      told.again();
      if (boot.spacesUntil > 0) await this.loadOthers(boot.spacesUntil);
    } catch (error) {
      this.server.set({ status: 'failed', error: asCommandError(error) });
    } finally {
      told.stop();
    }
  }

  /** The space to load with the first response, because it is shown first; '' for none. */
  private toOpen(): string {
    return this.server.get().status === 'ready' ? '' : (this.shown.get().selected ?? '');
  }

  private takeOpened(opened: Snapshot | null): void {
    const { screen, selected } = this.shown.get();
    if (screen !== 'space' || selected === null || opened?.space.id !== selected) return;
    const session = this.session(selected);
    if (session.store.get().status === 'loading') session.take(opened);
  }

  /** Loads the spaces that did not come with the first screen. */
  private async loadOthers(until: number): Promise<void> {
    const told = this.listen();
    const others = await this.transport
      .call('ListSpaces', { archived: false, query: '', until })
      .finally(told.stop);
    this.applyQueued.run();
    const { spaces } = this.server.get();
    // Spaces already here came later, with an event.
    const known = new Set(spaces.map(({ id }) => id));
    const all = inActivity([...spaces, ...(others ?? []).filter(({ id }) => !known.has(id))]);
    this.settle(all, false);
    this.server.set({ spaces: all });
    told.again();
  }

  /**
   * Buffers events while everything is loading, and applies them again afterwards: they may be newer than the response.
   * If they are older, further events will follow.
   */
  private listen(): { again(): void; stop(): void } {
    const events: AppEvent[] = [];
    this.listeners.add(events);
    return {
      again: () => {
        for (const event of events.splice(0)) if (isState(event)) this.receive(event);
      },
      stop: () => this.listeners.delete(events),
    };
  }

  /** Shows another space if the visible one is gone, unless more spaces are still loading. */
  private settle(spaces: readonly Space[], more: boolean): void {
    const { selected, screen } = this.shown.get();
    // An address may refer to an archived or deleted space; the space view says so.
    const known =
      selected !== null &&
      (more || spaces.some(({ id }) => id === selected) || this.addressedSpace === selected);
    this.shown.set({
      selected: known ? selected : ((spaces.find((space) => !isAutomatic(space)) ?? spaces[0])?.id ?? null),
      screen: spaces.length === 0 && screen === 'space' ? 'new' : screen,
    });
  }

  /** Refetches a cached response after a change that no event reports. */
  outdated(key: QueryKey): void {
    this.eventCounts.note(hashKey(key));
    this.refresher.outdated(key);
  }

  /**
   * Call this before a command whose result replaces a cached response; the returned function applies it. If an event
   * invalidated the response meanwhile, it is refetched instead.
   */
  beginUpdate<T>(key: QueryKey): (answer: T) => void {
    const outdated = this.eventCounts.watch(hashKey(key));
    return (answer) => {
      if (outdated()) this.refresher.outdated(key);
      else this.queries.setQueryData<T>(key, answer);
    };
  }

  /**
   * Call this before a command that returns a space; the returned function applies it, unless an event has updated the
   * space since.
   */
  beginSpaceUpdate(spaceId: string): (space: Space) => void {
    return this.unlessReported(spaceId, (space) => this.put(space));
  }

  /** The same for the order of spaces. */
  beginOrderUpdate(): (order: SpaceOrder) => void {
    return this.unlessReported('space_order', (order) => this.server.set({ order }));
  }

  /** The same for how calls are shown. */
  beginToolCallsUpdate(): (toolCalls: ToolCalls) => void {
    return this.unlessReported('tool_calls', (toolCalls) =>
      this.server.set({ toolCalls: readCalls(toolCalls) }),
    );
  }

  /** The same for installations. */
  beginInstallsUpdate(): (installs: readonly Install[]) => void {
    return this.unlessReported('installs', (installs) => this.server.set({ installs }));
  }

  /** The same for the number of files to review in a space. */
  beginReviewUpdate(spaceId: string): (files: number) => void {
    return this.unlessReported(`changes ${spaceId}`, (files) => this.putChanges(spaceId, files));
  }

  private unlessReported<T>(name: string, take: (value: T) => void): (value: T) => void {
    const told = this.eventCounts.watch(name);
    return (value) => {
      if (!told()) take(value);
    };
  }

  /** The space in the page address. */
  private get addressedSpace(): string | null {
    return readAddress(window.location.hash)?.spaceId ?? null;
  }

  /** Returns the session of a space, opening it if necessary. A few sessions stay open after the user leaves. */
  session(spaceId: string): Session {
    let session = this.sessions.get(spaceId);
    if (session === undefined) {
      session = new Session(this.transport, spaceId);
    } else {
      this.sessions.delete(spaceId);
    }
    this.sessions.set(spaceId, session);
    for (const old of this.sessions.keys()) {
      if (this.sessions.size <= mostSessions) break;
      this.sessions.get(old)?.unwatch();
      this.sessions.delete(old);
    }
    return session;
  }

  /** Returns the session of a space if it is open. */
  opened(spaceId: string): Session | undefined {
    return this.sessions.get(spaceId);
  }

  select(spaceId: string): void {
    writeKept({ selected: spaceId });
    this.visited = [spaceId, ...this.visited.filter((id) => id !== spaceId)].slice(0, 20);
    const { wanted, arrived, selected } = this.shown.get();
    this.shown.set({
      selected: spaceId,
      screen: 'space',
      drawerOpen: false,
      wanted: wanted?.spaceId === spaceId ? wanted : null,
      arrived: selected === spaceId ? arrived : null,
      ...this.panelIn(spaceId),
    });
  }

  show(screen: Screen): void {
    if (screen === 'settings') this.showSettings();
    else if (screen === 'registry') this.showRegistry();
    else this.shown.set({ screen, drawerOpen: false });
  }

  /** Opens the registry of agents, optionally with a query. */
  showRegistry(registryQuery = ''): void {
    this.shown.set({ screen: 'registry', registryQuery, drawerOpen: false });
  }

  /** Opens the settings in the given or last section, optionally at a row. */
  showSettings(
    section?: SettingsSection,
    row: string | null = null,
    change: Partial<SettingsView> = {},
  ): void {
    const { screen, settings } = this.shown.get();
    const { inbox } = this.shown.get();
    // Two screens that were opened from each other could never be left.
    const inside =
      screen === 'settings' || screen === 'registry' || (screen === 'inbox' && inbox.from === 'settings');
    this.shown.set({
      screen: 'settings',
      settings: {
        ...settings,
        section: section ?? settings.section,
        at: row === null ? null : { row },
        from: inside ? settings.from : screen,
        ...change,
      },
      drawerOpen: false,
    });
  }

  /** Returns to the screen from which the settings were opened. */
  leaveSettings(): void {
    const { settings } = this.shown.get();
    const screen = this.exitScreenOf('settings');
    this.shown.set({ screen, settings: { ...settings, at: null }, drawerOpen: false });
  }

  /** Opens the editor settings. */
  showEditor(): void {
    this.showSettings('editor', 'settings-editor-choice');
  }

  /** Opens the inbox at an item, or moves to it. */
  showInbox(chosen: InboxItem | null, reading: boolean): void {
    const { screen, inbox, settings } = this.shown.get();
    const inside = screen === 'inbox' || (screen === 'settings' && settings.from === 'inbox');
    this.shown.set({
      screen: 'inbox',
      inbox: { chosen, reading, from: inside ? inbox.from : screen },
      drawerOpen: false,
    });
  }

  /** Returns to the screen from which the inbox was opened. */
  leaveInbox(): void {
    this.shown.set({ screen: this.exitScreenOf('inbox'), drawerOpen: false });
  }

  /** Opens the search of all spaces, with the given or the last query. */
  showSearch(query?: string): void {
    const { screen } = this.shown.get();
    const { view } = this.globalSearch;
    const { from, n, query: last } = view.get();
    const inside = screen === 'search' || screen === 'settings' || screen === 'registry';
    view.set({ query: query ?? last, from: inside ? from : screen, n: n + 1 });
    this.shown.set({ screen: 'search', drawerOpen: false });
  }

  /** Returns to the screen from which the search was opened. */
  leaveSearch(): void {
    this.shown.set({ screen: this.exitScreenOf('search'), drawerOpen: false });
  }

  /** Returns the screen to show when leaving one. */
  private exitScreenOf(screen: Screen): Screen {
    const { settings, inbox, selected } = this.shown.get();
    const to = exitScreen(screen, {
      ...{ settings: settings.from, inbox: inbox.from, registry: 'settings' },
      search: this.globalSearch.view.get().from,
    });
    return to === 'space' && selected === null ? 'new' : to;
  }

  /** Opens the new-space form with a folder that was chosen elsewhere. */
  beginIn(folder: string): void {
    this.dialogs.set({ beginIn: folder });
    this.shown.set({ screen: 'new', drawerOpen: false });
  }

  showAgent(agent: string): void {
    this.showSettings('agents', `agent-${agent}`);
  }

  /** Opens the permission settings, optionally at a rule. */
  showPermissions(permissions: 'rules' | 'history', rule: string | null = null): void {
    this.showSettings('permissions', rule === null ? null : `rule-${rule}`, { permissions });
  }

  open(dialog: Dialog): void {
    this.dialogs.set({ open: dialog });
  }

  toggleSidebar(): void {
    const narrow = window.matchMedia('(max-width: 719px)').matches;
    if (narrow) {
      this.shown.set({ drawerOpen: !this.shown.get().drawerOpen });
      return;
    }
    const sidebarOpen = !this.shown.get().sidebarOpen;
    writeKept({ sidebarOpen });
    this.shown.set({ sidebarOpen });
  }

  togglePanel(panel: PanelName): void {
    this.shown.set({ following: [], panel: this.shown.get().panel === panel ? null : panel });
  }

  openPanel(panel: PanelName): void {
    this.shown.set({ following: [], panel });
  }

  /** Reports whether the panel was opened since the last call. */
  takePanelOpened(): boolean {
    const opened = this.panelOpened;
    this.panelOpened = false;
    return opened;
  }

  /** Closes the panel beside the transcript. Returns false if there is none. */
  closePanel(): boolean {
    const { panel, following } = this.shown.get();
    if (panel === null && following.length === 0) return false;
    this.shown.set({ following: [], panel: null });
    return true;
  }

  /** Returns which panel stays open in a space: an overlay would hide the space that is entered. */
  private panelIn(spaceId: string | null): Partial<ShownState> {
    const { selected } = this.shown.get();
    return selected === spaceId || !isOverlay(this.shown.get()) ? {} : { panel: null, following: [] };
  }

  showRun(runId: string): void {
    this.shown.set({ following: [], panel: 'run', shownRun: runId });
  }

  /** Shows a location in a file beside the conversation. */
  showFile(spaceId: string, place: FilePlace): void {
    const { panel, preview } = this.shown.get();
    const back = panel === 'file' ? (preview?.back ?? null) : panel;
    this.shown.set({
      following: [],
      panel: 'file',
      preview: { ...place, spaceId, back, n: (preview?.n ?? 0) + 1 },
    });
  }

  /** Closes the file preview and restores what it replaced. */
  closeFile(): void {
    this.shown.set({ panel: this.shown.get().preview?.back ?? null });
  }

  /** Opens a space at a location: a message id, or a part of a message. The highlight is scrolled into view. */
  goTo(spaceId: string, at: string | SpacePlace, mark: Mark | null = null): void {
    const place = typeof at === 'string' ? messagePlace(at) : at;
    writeKept({ selected: spaceId });
    this.shown.set({
      selected: spaceId,
      screen: 'space',
      drawerOpen: false,
      wanted: { spaceId, place, mark, view: null },
      arrived: place,
      ...this.panelIn(spaceId),
    });
  }

  /** Opens a space at an earlier scroll position, for back navigation. `place` is the location in the address. */
  goBackTo(spaceId: string, place: SpacePlace | null, view: View | null): void {
    const to = view?.place ?? place;
    writeKept({ selected: spaceId });
    this.shown.set({
      selected: spaceId,
      screen: 'space',
      drawerOpen: false,
      wanted: to === null ? null : { spaceId, place: to, mark: null, view },
      arrived: place,
      ...this.panelIn(spaceId),
    });
  }

  /** Starts or stops showing the file that the agent of a space works on. */
  toggleFollow(spaceId: string): void {
    const { following } = this.shown.get();
    const on = following.includes(spaceId);
    this.shown.set({
      panel: null,
      following: on ? following.filter((id) => id !== spaceId) : [...following, spaceId],
    });
  }

  /** The inbox items of all spaces. */
  pending(): InboxItem[] {
    return inboxOf(this.server.get().spaces);
  }

  saveAppearance(change: Partial<Appearance>): Promise<void> {
    return this.appearance.save({ ...this.server.get().appearance, ...change });
  }

  /** Applies a space that a command returned. */
  put(space: Space): void {
    this.applyQueued.run();
    this.receive({ type: 'space', space });
  }

  /** Removes a deleted space. */
  drop(spaceId: string): void {
    this.applyQueued.run();
    this.receive({ type: 'space_removed', spaceId });
  }

  /**
   * Call this before a command that creates a space; the returned function shows it, unless the user has navigated
   * elsewhere since: then it only adds it to the list.
   */
  beginCreate(): (space: Space) => void {
    const place = this.place;
    return (space) => {
      // Events received meanwhile are newer than the response that contains the space.
      this.applyQueued.run();
      if (!this.server.get().spaces.some(({ id }) => id === space.id)) this.put(space);
      if (this.place === place) this.select(space.id);
    };
  }

  /** What the user is looking at: a space, or a screen. */
  private get place(): string {
    const { screen, selected } = this.shown.get();
    return screen === 'space' ? `space ${selected}` : screen;
  }

  putPlace(spaceId: string, place: Place): void {
    this.server.set({ places: { ...this.server.get().places, [spaceId]: place } });
  }

  private putChanges(spaceId: string, files: number): void {
    this.server.set({ changes: { ...this.server.get().changes, [spaceId]: { files } } });
  }

  /** Runs an action and shows a notification if it fails. */
  async attempt(what: string, action: () => Promise<unknown>): Promise<void> {
    try {
      await action();
    } catch (error) {
      showFailure(what, error);
    }
  }

  /**
   * With many working agents, several spaces change per frame: the changes are applied together, and the list is drawn
   * once.
   */
  private queueEvent(event: AppEvent): void {
    this.eventCounts.note(nameOf(event));
    for (const events of this.listeners) events.push(event);
    if (event.type === 'space' && this.isKnown(event.space)) {
      this.queuedEvents.push(event);
      this.applyQueued.ask();
      return;
    }
    this.applyQueued.run();
    this.receive(event);
  }

  private isKnown({ id, archived }: Space): boolean {
    return !archived && this.server.get().spaces.some((space) => space.id === id);
  }

  private receive(event: AppEvent): void {
    const before = this.server.get().spaces.find(({ id }) => id === spaceOf(event));
    this.take(event);
    for (const key of outdatedBy(event, before)) this.outdated(key);
  }

  private take(event: AppEvent): void {
    switch (event.type) {
      case 'space':
        this.putSpace(event.space);
        return;
      case 'space_removed':
        this.dropSpace(event.spaceId);
        return;
      case 'agents':
        this.server.set({ agents: event.agents ?? [] });
        return;
      case 'changes':
        this.putChanges(event.spaceId, event.files);
        return;
      case 'place':
        this.putPlace(event.spaceId, event.place);
        return;
      case 'appearance':
        this.appearance.receive(event.appearance);
        return;
      case 'tool_calls':
        this.server.set({ toolCalls: readCalls(event.toolCalls) });
        return;
      case 'installs':
        this.server.set({ installs: event.installs ?? [] });
        return;
      case 'problems':
        this.server.set({ problems: event.problems ?? [] });
        return;
      case 'space_order':
        this.server.set({ order: event.order });
        return;
      case 'draft':
        this.drafts.receive(event);
        return;
      case 'export':
        this.server.set({ exporting: event.export });
        return;
      case 'show':
        if (event.folder !== undefined && event.folder !== '') this.beginIn(event.folder);
        else if (event.place == null)
          this.externalRequest.set({ spaceId: event.spaceId, requestId: event.requestId ?? '' });
        else this.goTo(event.spaceId, event.place);
        return;
      case 'closing':
        this.dialogs.set({ closing: event.working });
        return;
    }
  }

  private putSpace(told: Space): void {
    const { spaces } = this.server.get();
    const at = spaces.findIndex(({ id }) => id === told.id);
    // Unchanged parts keep their identity and don't re-render.
    const space = replaceEqualDeep(spaces[at], told);
    this.sessions.get(space.id)?.setSpace(space);
    if (space.archived) {
      if (at >= 0) this.dropSpace(space.id);
      return;
    }
    this.server.set({ spaces: withSpace(spaces, at, space) });
  }

  private dropSpace(spaceId: string): void {
    const { spaces } = this.server.get();
    const { selected, screen } = this.shown.get();
    const at = spaces.findIndex((space) => space.id === spaceId);
    if (at < 0) return;
    this.sessions.get(spaceId)?.unwatch();
    this.sessions.delete(spaceId);
    const { picked } = this.list.get();
    if (picked.has(spaceId)) this.list.set({ picked: new Set([...picked].filter((id) => id !== spaceId)) });
    const left = spaces.filter((space) => space.id !== spaceId);
    // From a branch, go back to the space it branched from.
    const parent = left.find(({ id }) => id === spaces[at]?.parentId)?.id;
    const near = parent ?? left[Math.min(at, left.length - 1)]?.id ?? null;
    this.shown.set({
      ...(selected === spaceId && { selected: near, ...this.panelIn(near) }),
      screen: left.length === 0 && screen === 'space' ? 'new' : screen,
    });
    this.server.set({ spaces: left });
  }
}

/** Sorts spaces by their last activity, latest first. */
function inActivity(spaces: readonly Space[]): Space[] {
  return spaces.toSorted((a, b) => b.lastActivity - a.lastActivity);
}

/** Replaces the space at an index, or adds it if that is -1. The others keep their identity. */
function withSpace(spaces: readonly Space[], at: number, space: Space): readonly Space[] {
  const before = spaces[at - 1]?.lastActivity ?? Number.POSITIVE_INFINITY;
  const after = spaces[at + 1]?.lastActivity ?? Number.NEGATIVE_INFINITY;
  if (at >= 0 && before >= space.lastActivity && space.lastActivity >= after) return spaces.with(at, space);
  const others = at < 0 ? [...spaces] : spaces.toSpliced(at, 1);
  let to = 0;
  while (to < others.length && (others[to]?.lastActivity ?? 0) > space.lastActivity) to++;
  others.splice(to, 0, space);
  return others;
}

/** Reports whether an event carries state that is part of the first response. */
function isState({ type }: AppEvent): boolean {
  return (
    type === 'space' ||
    type === 'space_removed' ||
    type === 'agents' ||
    type === 'tool_calls' ||
    type === 'problems' ||
    type === 'space_order'
  );
}

/** What an event is about, for responses that are only applied if no such event arrived meanwhile. */
function nameOf(event: AppEvent): string {
  if (event.type === 'space') return event.space.id;
  if (event.type === 'space_removed') return event.spaceId;
  return 'spaceId' in event ? `${event.type} ${event.spaceId}` : event.type;
}

/** The space that an event is about. */
function spaceOf(event: AppEvent): string | undefined {
  if (event.type === 'space') return event.space.id;
  return 'spaceId' in event ? event.spaceId : undefined;
}

export const WeftContext = createContext<Weft | null>(null);

export function useWeft(): Weft {
  const weft = useContext(WeftContext);
  if (weft === null) throw new Error('useWeft is used outside of WeftContext');
  return weft;
}
