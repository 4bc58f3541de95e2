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
import { EverySearch } from './everySearch';
import { FrameJob } from './frame';
import { inboxOf, type Pending } from './inbox';
import { messagePlace, readAddress, readNewSpace } from './link';
import { isOthers } from './list';
import { firstList, type ListState } from './listState';
import { say, sayFailed } from './notify';
import { aboutOf, type ServerState, unsaid } from './server';
import { Session } from './session';
import type { SettingsSection } from './settingsPlace';
import {
  type FilePlace,
  firstShown,
  liesOver,
  type Mark,
  type PanelName,
  type Screen,
  type SettingsView,
  type ShownState,
  type View,
} from './shown';
import { Store } from './store';
import { Told } from './told';
import { readCalls } from './toolCalls';
import { writeKept } from './ui';
import { wayOut } from './wayOut';

/** Sessions that stay open, so that coming back to a space is at once. */
const mostSessions = 4;

/** A request that the user wants to see, or with an empty id its space. */
export interface Asked {
  spaceId: string;
  requestId: string;
}

/** The frontend's state outside of single spaces: what the backend says, what the window shows, which dialogs are open. */
export class Weft {
  readonly server: Store<ServerState>;
  /** The spaces that the user has opened in this window, the last one first. */
  visited: readonly string[] = [];
  readonly shown: Store<ShownState>;
  readonly dialogs: Store<DialogState>;
  /** How the list of spaces is shown, and what is chosen in it. */
  readonly list: Store<ListState>;
  /** What was typed and not sent. */
  readonly drafts: Drafts;
  readonly transport: Transport;
  /** What the user has answered in this window, by the ids of requests and calls. */
  readonly answered = new Answered();
  /** What was looked for in all spaces last, and found. */
  readonly everySearch: EverySearch;
  /** What the backend has answered, for the hooks in src/queries. */
  readonly queries = newCache();
  /** Where the user reads in the space that is open; the transcript on the screen puts it here. */
  reading: { spaceId: string; view: () => View | null } | null = null;
  /** The message and the segment at the top of that transcript. */
  readonly readsAt = new Store<{ spaceId: string; ord: number; segment: number }>({
    ...{ spaceId: '', ord: 0, segment: 0 },
  });
  /** What was asked for outside of the window, until it goes there; '' for nothing. */
  readonly asked = new Store<Asked>({ spaceId: '', requestId: '' });
  private readonly refresher = new Refresher(this.queries);
  /** What keeps events while everything is read; see `listen`. */
  private readonly listeners = new Set<AppEvent[]>();
  /** What events were about, by ids of spaces and names of answers. */
  private readonly told = new Told();
  private readonly sessions = new Map<string, Session>();
  private readonly appearance: AppearanceSaver;
  /** Events of spaces that are taken over with the next frame, in their order. */
  private heard: AppEvent[] = [];
  private readonly takeHeard = new FrameJob(
    () => {
      const events = this.heard;
      this.heard = [];
      this.server.batch(() => {
        for (const event of events) this.receive(event);
      });
    },
    // The conversation that is read comes first: a request isn't painted later because the list is drawn in the same frame.
    (frame) => this.opened(this.shown.get().selected ?? '')?.changesIn(frame) === true,
  );

  private panelOpened = false;

  constructor(transport: Transport) {
    this.transport = transport;
    this.server = new Store(unsaid(transport.kind));
    this.shown = new Store(firstShown());
    let { panel, preview } = this.shown.get();
    this.shown.subscribe(() => {
      const next = this.shown.get();
      // Each file that is opened is a panel of its own.
      if (next.panel !== panel || next.preview !== preview) this.panelOpened = next.panel !== null;
      ({ panel, preview } = next);
    });
    this.dialogs = new Store({ ...noDialogs, beginIn: readNewSpace(window.location.hash) });
    this.everySearch = new EverySearch(transport);
    this.list = new Store(firstList());
    this.drafts = new Drafts(transport, say);
    this.appearance = new AppearanceSaver(transport, (appearance) => this.server.set({ appearance }));
  }

  /** Whether this is the window of the app, and not a browser. */
  get inWindow(): boolean {
    return this.transport.kind === 'window';
  }

  /** Reads everything and keeps it up to date for as long as the page lives. */
  start(): void {
    this.transport.onConnection((connection) => {
      this.server.set({ connection });
      if (connection === 'online') this.drafts.flushAll();
    });
    this.transport.watchApp({
      events: (events) => {
        for (const event of events) this.hear(event);
      },
      gap: () => {
        // What was told meanwhile may have been missed.
        this.refresher.all();
        this.told.all();
        this.drafts.refresh();
        void this.load();
      },
    });
    window.addEventListener('blur', () => this.drafts.flushAll());
    document.addEventListener('visibilitychange', () => document.hidden && this.drafts.flushAll());
    window.addEventListener('pagehide', () => this.drafts.leave());
    void this.load().then(() => this.drafts.adopt(this.server.get().spaces.map(({ id }) => id)));
  }

  async load(): Promise<void> {
    const told = this.listen();
    try {
      const boot = await this.transport.call('Bootstrap', { spaceId: this.toOpen() });
      const { version } = this.server.get().about;
      if (!this.inWindow && version !== '' && version !== boot.version) {
        // Weft was updated: what it expects of a page is another now.
        window.location.reload();
        return;
      }
      this.takeHeard.run();
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

  /** The space that comes with the first answer, because it is shown with it; '' for none. */
  private toOpen(): string {
    return this.server.get().status === 'ready' ? '' : (this.shown.get().selected ?? '');
  }

  private takeOpened(opened: Snapshot | null): void {
    const { screen, selected } = this.shown.get();
    if (screen !== 'space' || selected === null || opened?.space.id !== selected) return;
    const session = this.session(selected);
    if (session.store.get().status === 'loading') session.take(opened);
  }

  /** Reads the spaces that did not come with the first screen. */
  private async loadOthers(until: number): Promise<void> {
    const told = this.listen();
    const others = await this.transport
      .call('ListSpaces', { archived: false, query: '', until })
      .finally(told.stop);
    this.takeHeard.run();
    const { spaces } = this.server.get();
    // What is here came later: with an event.
    const known = new Set(spaces.map(({ id }) => id));
    const all = inActivity([...spaces, ...(others ?? []).filter(({ id }) => !known.has(id))]);
    this.settle(all, false);
    this.server.set({ spaces: all });
    told.again();
  }

  /**
   * Keeps what is told while everything is read: it may be newer than the answer, and is taken over again after it. Where it is
   * older, what the answer knew more is still to be told.
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

  /** Shows another space where the one that was shown is gone. With more to come it may be among those. */
  private settle(spaces: readonly Space[], more: boolean): void {
    const { selected, screen } = this.shown.get();
    // An address may name a space that is archived, or one that is gone, which is said there.
    const known =
      selected !== null && (more || spaces.some(({ id }) => id === selected) || this.addressed === selected);
    this.shown.set({
      selected: known ? selected : ((spaces.find((space) => !isOthers(space)) ?? spaces[0])?.id ?? null),
      screen: spaces.length === 0 && screen === 'space' ? 'new' : screen,
    });
  }

  /** Makes an answer in the cache be read again: something has changed of which no event tells. */
  outdated(key: QueryKey): void {
    this.told.note(hashKey(key));
    this.refresher.outdated(key);
  }

  /**
   * To be called before a command whose answer replaces one in the cache; returns what takes it over. Where an event has made that
   * outdated meanwhile, it is read again instead.
   */
  answering<T>(key: QueryKey): (answer: T) => void {
    const outdated = this.told.watch(hashKey(key));
    return (answer) => {
      if (outdated()) this.refresher.outdated(key);
      else this.queries.setQueryData<T>(key, answer);
    };
  }

  /** To be called before a command that answers a space; returns what takes it over, unless an event has reported the space since. */
  changing(spaceId: string): (space: Space) => void {
    return this.unlessTold(spaceId, (space) => this.put(space));
  }

  /** The same for the order of spaces. */
  ordering(): (order: SpaceOrder) => void {
    return this.unlessTold('space_order', (order) => this.server.set({ order }));
  }

  /** The same for how calls are drawn. */
  drawing(): (toolCalls: ToolCalls) => void {
    return this.unlessTold('tool_calls', (toolCalls) => this.server.set({ toolCalls: readCalls(toolCalls) }));
  }

  /** The same for what is being installed. */
  installing(): (installs: readonly Install[]) => void {
    return this.unlessTold('installs', (installs) => this.server.set({ installs }));
  }

  /** The same for how many files of a space need review. */
  reviewing(spaceId: string): (files: number) => void {
    return this.unlessTold(`changes ${spaceId}`, (files) => this.putChanges(spaceId, files));
  }

  private unlessTold<T>(name: string, take: (value: T) => void): (value: T) => void {
    const told = this.told.watch(name);
    return (value) => {
      if (!told()) take(value);
    };
  }

  /** The space that the address of the page names. */
  private get addressed(): string | null {
    return readAddress(window.location.hash)?.spaceId ?? null;
  }

  /** The session of a space. A few that were left stay open. */
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

  /** The session of a space, if it is open. */
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

  /** Opens the list of agents that can be installed, at those that fit a query if there is one. */
  showRegistry(registryQuery = ''): void {
    this.shown.set({ screen: 'registry', registryQuery, drawerOpen: false });
  }

  /** Opens the settings, in the section that was open last if none is named, at a row if one is. */
  showSettings(
    section?: SettingsSection,
    row: string | null = null,
    change: Partial<SettingsView> = {},
  ): void {
    const { screen, settings } = this.shown.get();
    const { inbox } = this.shown.get();
    // Two screens that were opened from each other would never be left.
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

  /** Goes back to where the settings were opened from. */
  leaveSettings(): void {
    const { settings } = this.shown.get();
    const screen = this.outOf('settings');
    this.shown.set({ screen, settings: { ...settings, at: null }, drawerOpen: false });
  }

  /** Opens the settings where the editor is chosen. */
  showEditor(): void {
    this.showSettings('editor', 'settings-editor-choice');
  }

  /** Opens the inbox at an entry, or moves there. */
  showInbox(chosen: Pending | null, reading: boolean): void {
    const { screen, inbox, settings } = this.shown.get();
    const inside = screen === 'inbox' || (screen === 'settings' && settings.from === 'inbox');
    this.shown.set({
      screen: 'inbox',
      inbox: { chosen, reading, from: inside ? inbox.from : screen },
      drawerOpen: false,
    });
  }

  /** Goes back to where the inbox was opened from. */
  leaveInbox(): void {
    this.shown.set({ screen: this.outOf('inbox'), drawerOpen: false });
  }

  /** Opens the search of all spaces, with a query or with the last one. */
  showSearch(query?: string): void {
    const { screen } = this.shown.get();
    const { view } = this.everySearch;
    const { from, n, query: last } = view.get();
    const inside = screen === 'search' || screen === 'settings' || screen === 'registry';
    view.set({ query: query ?? last, from: inside ? from : screen, n: n + 1 });
    this.shown.set({ screen: 'search', drawerOpen: false });
  }

  /** Goes back to where the search was opened from. */
  leaveSearch(): void {
    this.shown.set({ screen: this.outOf('search'), drawerOpen: false });
  }

  /** The screen that leaving one leads to. */
  private outOf(screen: Screen): Screen {
    const { settings, inbox, selected } = this.shown.get();
    const to = wayOut(screen, {
      ...{ settings: settings.from, inbox: inbox.from, registry: 'settings' },
      search: this.everySearch.view.get().from,
    });
    return to === 'space' && selected === null ? 'new' : to;
  }

  /** Shows the form of a new space with a folder that was chosen elsewhere. */
  beginIn(folder: string): void {
    this.dialogs.set({ beginIn: folder });
    this.shown.set({ screen: 'new', drawerOpen: false });
  }

  showAgent(agent: string): void {
    this.showSettings('agents', `agent-${agent}`);
  }

  /** Opens the settings where the permissions are, at a rule if one is named. */
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

  /** Whether the panel was opened since this was last asked. */
  entersPanel(): boolean {
    const opened = this.panelOpened;
    this.panelOpened = false;
    return opened;
  }

  /** Closes the panel beside the transcript. False where there is none. */
  closePanel(): boolean {
    const { panel, following } = this.shown.get();
    if (panel === null && following.length === 0) return false;
    this.shown.set({ following: [], panel: null });
    return true;
  }

  /** What is left of the panel in a space: what lies over the conversation would hide the one that is entered. */
  private panelIn(spaceId: string | null): Partial<ShownState> {
    const { selected } = this.shown.get();
    return selected === spaceId || !liesOver(this.shown.get()) ? {} : { panel: null, following: [] };
  }

  showRun(runId: string): void {
    this.shown.set({ following: [], panel: 'run', shownRun: runId });
  }

  /** Shows a place in a file of a space beside the conversation. */
  showFile(spaceId: string, place: FilePlace): void {
    const { panel, preview } = this.shown.get();
    const back = panel === 'file' ? (preview?.back ?? null) : panel;
    this.shown.set({
      following: [],
      panel: 'file',
      preview: { ...place, spaceId, back, n: (preview?.n ?? 0) + 1 },
    });
  }

  /** Closes the file that is shown, and shows again what it has replaced. */
  closeFile(): void {
    this.shown.set({ panel: this.shown.get().preview?.back ?? null });
  }

  /** Opens a space at a place: a message by its id, or a part of one. What is marked there is in view. */
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

  /** Opens a space where the user was before: for the way back. `place` is what the address names. */
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

  /** Shows the file that the agent of a space is at, or no more. */
  toggleFollow(spaceId: string): void {
    const { following } = this.shown.get();
    const on = following.includes(spaceId);
    this.shown.set({
      panel: null,
      following: on ? following.filter((id) => id !== spaceId) : [...following, spaceId],
    });
  }

  /** What waits for the user in all spaces. */
  pending(): Pending[] {
    return inboxOf(this.server.get().spaces);
  }

  saveAppearance(change: Partial<Appearance>): Promise<void> {
    return this.appearance.save({ ...this.server.get().appearance, ...change });
  }

  /** Takes over a space that a command has answered. */
  put(space: Space): void {
    this.takeHeard.run();
    this.receive({ type: 'space', space });
  }

  /** Takes over that a space is gone. */
  drop(spaceId: string): void {
    this.takeHeard.run();
    this.receive({ type: 'space_removed', spaceId });
  }

  /**
   * To be called before a command that makes a space; returns what shows it, unless the user has gone elsewhere since: then it is
   * in the list only.
   */
  entering(): (space: Space) => void {
    const place = this.place;
    return (space) => {
      // What its events have said meanwhile is newer than the answer that brings it.
      this.takeHeard.run();
      if (!this.server.get().spaces.some(({ id }) => id === space.id)) this.put(space);
      if (this.place === place) this.select(space.id);
    };
  }

  /** What the user looks at: a space, or a screen. */
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

  /** Does something and says so when it does not work. */
  async attempt(what: string, action: () => Promise<unknown>): Promise<void> {
    try {
      await action();
    } catch (error) {
      sayFailed(what, error);
    }
  }

  /** Where many work, several spaces change in a frame: they are taken over with it, and the list is drawn once. */
  private hear(event: AppEvent): void {
    this.told.note(nameOf(event));
    for (const events of this.listeners) events.push(event);
    if (event.type === 'space' && this.isKnown(event.space)) {
      this.heard.push(event);
      this.takeHeard.ask();
      return;
    }
    this.takeHeard.run();
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
        this.appearance.heard(event.appearance);
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
        this.drafts.heard(event);
        return;
      case 'export':
        this.server.set({ exporting: event.export });
        return;
      case 'show':
        if (event.folder !== undefined && event.folder !== '') this.beginIn(event.folder);
        else if (event.place == null)
          this.asked.set({ spaceId: event.spaceId, requestId: event.requestId ?? '' });
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
    // What of it is the same stays the same object, and is not drawn again.
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
    // From a branch the way is back to what it came from.
    const parent = left.find(({ id }) => id === spaces[at]?.parentId)?.id;
    const near = parent ?? left[Math.min(at, left.length - 1)]?.id ?? null;
    this.shown.set({
      ...(selected === spaceId && { selected: near, ...this.panelIn(near) }),
      screen: left.length === 0 && screen === 'space' ? 'new' : screen,
    });
    this.server.set({ spaces: left });
  }
}

/** Spaces in the order of their last activity, the latest first. */
function inActivity(spaces: readonly Space[]): Space[] {
  return spaces.toSorted((a, b) => b.lastActivity - a.lastActivity);
}

/** The spaces with one of them changed, which is at a place, or new where that is -1. The others stay as they are. */
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

/** Whether an event brings the state of something that is read with everything else. */
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

/** What an event is about, for what is taken over only where no event came meanwhile. */
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
