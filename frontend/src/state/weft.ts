import type { QueryKey } from '@tanstack/react-query';
import { createContext, useContext } from 'react';
import { newCache } from '../cache/client';
import { outdatedBy } from '../cache/invalidate';
import { Refresher } from '../cache/refresher';
import { t } from '../i18n';
import type {
  Agent,
  AppEvent,
  Appearance,
  Bootstrap,
  Install,
  PermissionMode,
  Place,
  Problem,
  Request,
  SignInTarget,
  Space,
  ToolCalls,
} from '../transport/api';
import { asCommandError, type CommandError, type Connection, type Transport } from '../transport/transport';
import { AppearanceSaver } from './appearance';
import { nextPending } from './inbox';
import { say, sayFailed, sayUndoable } from './notify';
import { Session } from './session';
import { Store } from './store';
import { type CallSettings, plainCalls, readCalls } from './toolCalls';
import { readKept, writeKept } from './ui';

export type Screen = 'space' | 'new' | 'settings' | 'registry';
/** What can stand beside a transcript. */
export type PanelName = 'log' | 'changes' | 'branches' | 'members' | 'run';
export type Dialog = 'palette' | 'keyboard' | 'import' | null;
type About = Pick<
  Bootstrap,
  'version' | 'mode' | 'platform' | 'home' | 'folder' | 'dataDir' | 'settingsPath'
>;

export interface WeftState {
  status: 'starting' | 'ready' | 'failed';
  error: CommandError | null;
  connection: Connection;
  about: About;
  /** Not archived, last activity first. */
  spaces: readonly Space[];
  agents: readonly Agent[];
  appearance: Appearance;
  /** How calls of tools are drawn. */
  toolCalls: CallSettings;
  problems: readonly Problem[];
  screen: Screen;
  selected: string | null;
  settingsAgent: string | null;
  /** The rule that the settings show, and the part of the permissions that is open there. */
  settingsRule: string | null;
  permissionsView: 'rules' | 'history';
  /** The settings show the rules about tool calls. */
  settingsCalls: boolean;
  /** Installations in progress, and those that have just ended. */
  installs: readonly Install[];
  dialog: Dialog;
  /** There is one panel beside a transcript; that of a file that is followed is told by `following`. */
  panel: PanelName | null;
  /** The run that its panel shows. */
  shownRun: string;
  /** The message that the person wants to see in a space, until it is there. */
  wanted: { spaceId: string; messageId: string } | null;
  /** The prompt that is being edited, to be sent in a branch. */
  editing: { spaceId: string; messageId: string } | null;
  /** The space that the person is asked about before it is deleted, and the agent that has kept it, too. */
  deleting: { space: Space; agent: string } | null;
  /** Spaces in which the agent is followed. */
  following: readonly string[];
  /** Where the agents are at: another object whenever that is told. */
  places: Readonly<Record<string, Place>>;
  /** How many files of a space are to be reviewed: another object whenever that is told. */
  changes: Readonly<Record<string, { files: number }>>;
  /** The prompt since which everything may be undone, while that is asked. */
  undoSince: { spaceId: string; messageId: string } | null;
  /** The worktree that is looked at, and what is to be done with its space after that. */
  worktree: WorktreeView | null;
  sidebarOpen: boolean;
  drawerOpen: boolean;
  renaming: string | null;
}

export interface WorktreeView {
  id: string;
  next: { what: 'archive' | 'delete'; space: Space } | null;
}

const defaultAppearance: Appearance = {
  theme: 'system',
  density: 'comfortable',
  textScale: 100,
  thoughts: 'in-place',
};

/** The frontend's state outside of single spaces, and everything a person can do with it. */
export class Weft {
  readonly store: Store<WeftState>;
  readonly transport: Transport;
  /** What the backend has answered, for the hooks in src/queries. */
  readonly queries = newCache();
  private readonly refresher = new Refresher(this.queries);
  private readonly sessions = new Map<string, Session>();
  private readonly appearance: AppearanceSaver;

  constructor(transport: Transport) {
    this.transport = transport;
    this.appearance = new AppearanceSaver(transport, (appearance) => this.store.set({ appearance }));
    const kept = readKept();
    this.store = new Store<WeftState>({
      status: 'starting',
      error: null,
      connection: 'connecting',
      about: {
        version: '',
        mode: transport.kind,
        platform: '',
        home: '',
        folder: '',
        dataDir: '',
        settingsPath: '',
      },
      spaces: [],
      agents: [],
      appearance: defaultAppearance,
      toolCalls: plainCalls,
      problems: [],
      screen: 'space',
      selected: kept.selected,
      settingsAgent: null,
      settingsRule: null,
      permissionsView: 'rules',
      settingsCalls: false,
      installs: [],
      dialog: null,
      panel: null,
      shownRun: '',
      wanted: null,
      editing: null,
      deleting: null,
      following: [],
      places: {},
      changes: {},
      undoSince: null,
      worktree: null,
      sidebarOpen: kept.sidebarOpen,
      drawerOpen: false,
      renaming: null,
    });
  }

  /** Reads everything and keeps it up to date for as long as the page lives. */
  start(): void {
    this.transport.onConnection((connection) => this.store.set({ connection }));
    this.transport.watchApp({
      events: (events) => {
        for (const event of events) this.receive(event);
      },
      gap: () => {
        // What was told meanwhile may have been missed.
        this.refresher.all();
        void this.load();
      },
    });
    void this.load();
  }

  async load(): Promise<void> {
    try {
      const boot = await this.transport.call('Bootstrap');
      const { version, mode, platform, home, folder, dataDir, settingsPath } = boot;
      const spaces = boot.spaces ?? [];
      const { selected, screen } = this.store.get();
      const known = spaces.some((space) => space.id === selected);
      this.store.set({
        status: 'ready',
        error: null,
        about: { version, mode, platform, home, folder, dataDir, settingsPath },
        spaces,
        agents: boot.agents ?? [],
        appearance: boot.appearance,
        toolCalls: readCalls(boot.toolCalls),
        problems: boot.problems ?? [],
        selected: known ? selected : (spaces[0]?.id ?? null),
        screen: spaces.length === 0 && screen === 'space' ? 'new' : screen,
      });
    } catch (error) {
      this.store.set({ status: 'failed', error: asCommandError(error) });
    }
  }

  /** Whether this is the window of the app, and not a browser. */
  get inWindow(): boolean {
    return this.transport.kind === 'window';
  }

  /** Makes an answer in the cache be read again: something has changed of which no event tells. */
  outdated(key: QueryKey): void {
    this.refresher.outdated(key);
  }

  /** The session of a space. A few that were left stay, so that coming back is at once. */
  session(spaceId: string): Session {
    let session = this.sessions.get(spaceId);
    if (session === undefined) {
      session = new Session(this.transport, spaceId);
    } else {
      this.sessions.delete(spaceId);
    }
    this.sessions.set(spaceId, session);
    for (const old of this.sessions.keys()) {
      if (this.sessions.size <= 4) break;
      this.sessions.get(old)?.unwatch();
      this.sessions.delete(old);
    }
    return session;
  }

  select(spaceId: string): void {
    writeKept({ selected: spaceId });
    const { wanted } = this.store.get();
    this.store.set({
      selected: spaceId,
      screen: 'space',
      drawerOpen: false,
      wanted: wanted?.spaceId === spaceId ? wanted : null,
    });
  }

  show(screen: Screen): void {
    this.store.set({ screen, settingsRule: null, settingsCalls: false, drawerOpen: false });
  }

  showAgent(agentId: string): void {
    this.store.set({ screen: 'settings', settingsAgent: agentId, settingsRule: null, drawerOpen: false });
  }

  /** Opens the settings where the permissions are, at a rule if one is named. */
  showPermissions(permissionsView: 'rules' | 'history', settingsRule: string | null = null): void {
    this.store.set({
      screen: 'settings',
      permissionsView,
      settingsRule: settingsRule ?? '',
      settingsAgent: null,
      drawerOpen: false,
    });
  }

  /** Opens the settings where the rules about tool calls are. */
  showCallRules(): void {
    this.show('settings');
    this.store.set({ settingsCalls: true, settingsAgent: null });
  }

  putCalls(toolCalls: ToolCalls): void {
    this.store.set({ toolCalls: readCalls(toolCalls) });
  }

  setPermissions(spaceId: string, permissions: PermissionMode): Promise<void> {
    return this.attempt(t('failed.permissions'), async () => {
      const space = await this.transport.call('UpdateSpace', { spaceId, permissions });
      this.receive({ type: 'space', space });
    });
  }

  open(dialog: Dialog): void {
    this.store.set({ dialog });
  }

  toggleSidebar(): void {
    const narrow = window.matchMedia('(max-width: 719px)').matches;
    if (narrow) {
      this.store.set({ drawerOpen: !this.store.get().drawerOpen });
      return;
    }
    const sidebarOpen = !this.store.get().sidebarOpen;
    writeKept({ sidebarOpen });
    this.store.set({ sidebarOpen });
  }

  togglePanel(panel: PanelName): void {
    this.store.set({ following: [], panel: this.store.get().panel === panel ? null : panel });
  }

  showRun(runId: string): void {
    this.store.set({ following: [], panel: 'run', shownRun: runId });
  }

  /** Opens a space where a message stands. */
  goTo(spaceId: string, messageId: string): void {
    this.store.set({ wanted: { spaceId, messageId } });
    this.select(spaceId);
  }

  /** Shows the file that the agent of a space is at, or no more. */
  toggleFollow(spaceId: string): void {
    const { following } = this.store.get();
    const on = following.includes(spaceId);
    this.store.set({
      panel: null,
      following: on ? following.filter((id) => id !== spaceId) : [...following, spaceId],
    });
  }

  putPlace(spaceId: string, place: Place): void {
    this.store.set({ places: { ...this.store.get().places, [spaceId]: place } });
  }

  putInstalls(installs: readonly Install[]): void {
    this.store.set({ installs });
  }

  /** Puts down how many files of a space are to be reviewed. */
  putChanges(spaceId: string, files: number): void {
    this.store.set({ changes: { ...this.store.get().changes, [spaceId]: { files } } });
  }

  /** The next space in which something waits for the person. */
  nextWaiting(): Space | null {
    const { spaces, selected } = this.store.get();
    return nextPending(spaces, selected);
  }

  /** The person has seen how the runs of a space ended. */
  async markSeen(spaceId: string): Promise<void> {
    const spaces = this.store
      .get()
      .spaces.map((one) => (one.id === spaceId ? { ...one, unseen: false } : one));
    this.store.set({ spaces });
    // Where it is not noted, it shows again: that is all.
    await this.transport.call('MarkSeen', { spaceId }).catch(() => {});
  }

  async createSpace(
    agentId: string,
    folder: string,
    more: Pick<Request<'CreateSpace'>, 'words' | 'worktree' | 'members' | 'noFolder'> = {},
  ): Promise<Space> {
    const space = await this.transport.call('CreateSpace', { agentId, folder, title: '', ...more });
    this.enter(space);
    return space;
  }

  /** Takes over a space that a command has answered. */
  put(space: Space): void {
    this.receive({ type: 'space', space });
  }

  /** Shows a space that a command has answered. */
  enter(space: Space): void {
    this.put(space);
    this.select(space.id);
  }

  rename(spaceId: string, title: string): Promise<void> {
    return this.attempt(t('failed.rename'), async () => {
      const space = await this.transport.call('UpdateSpace', { spaceId, title });
      this.receive({ type: 'space', space });
    });
  }

  /** Archives a space. One in a worktree of its own is asked about that first, unless it is decided. */
  async archive(space: Space, archived: boolean, decided = false): Promise<void> {
    if (archived && space.worktree !== null && !decided) {
      this.store.set({ worktree: { id: space.worktree.id, next: { what: 'archive', space } } });
      return;
    }
    return this.attempt(t('failed.archive'), async () => {
      const after = await this.transport.call('UpdateSpace', { spaceId: space.id, archived });
      this.receive({ type: 'space', space: after });
      if (archived)
        sayUndoable(t('space.archived', { title: space.title }), () => void this.archive(space, false));
    });
  }

  /** Makes a branch and shows it. */
  async branch(request: Request<'Branch'>): Promise<void> {
    this.enter(await this.transport.call('Branch', request));
  }

  /** Deletes a space; see archive. Where its agent could delete what it has kept of it, the person is asked. */
  async remove(space: Space, decided = false): Promise<void> {
    if (space.worktree !== null && !decided) {
      this.store.set({ worktree: { id: space.worktree.id, next: { what: 'delete', space } } });
      return;
    }
    return this.attempt(t('failed.delete'), async () => {
      const kept = await this.transport.call('AgentCopies', { spaceId: space.id });
      if (kept.sessions > 0) this.store.set({ deleting: { space, agent: kept.agentName } });
      else await this.removeNow(space, false);
    });
  }

  async removeNow(space: Space, atAgent: boolean): Promise<void> {
    const { left } = await this.transport.call('DeleteSpace', { spaceId: space.id, atAgent });
    this.receive({ type: 'space_removed', spaceId: space.id });
    sayUndoable(t('space.deleted', { title: space.title }), () => void this.restore(space));
    if (left !== '') say(t('deleteSpace.left', { why: left }));
  }

  private restore(space: Space): Promise<void> {
    return this.attempt(t('failed.restore'), async () => {
      this.enter(await this.transport.call('RestoreSpace', { spaceId: space.id }));
    });
  }

  /** Stops all that work in a space, or one member. */
  stop(spaceId: string, memberId = ''): Promise<void> {
    this.sessions.get(spaceId)?.markStopping(memberId);
    return this.attempt(t('failed.stop'), () => this.transport.call('StopRun', { spaceId, memberId }));
  }

  /** Stops one run, whatever space it works in, from a space that it writes to. */
  stopRun(spaceId: string, runId: string): Promise<void> {
    this.sessions.get(spaceId)?.markStopping('', runId);
    return this.attempt(t('failed.stop'), () =>
      this.transport.call('StopRun', { spaceId, memberId: '', runId }),
    );
  }

  saveAppearance(change: Partial<Appearance>): Promise<void> {
    return this.appearance.save({ ...this.store.get().appearance, ...change });
  }

  async rescan(): Promise<void> {
    await this.attempt(t('failed.rescan'), async () => {
      this.store.set({ agents: (await this.transport.call('RescanAgents')) ?? [] });
    });
  }

  async reloadAgents(): Promise<void> {
    this.store.set({ agents: (await this.transport.call('ListAgents')) ?? [] });
  }

  /** Logs out of an agent and forgets the variables that were kept for it. */
  async logOut(target: SignInTarget, name: string): Promise<void> {
    await this.attempt(t('failed.logOut'), async () => {
      const { agent, forgotten } = await this.transport.call('LogOut', target);
      say(
        agent
          ? t('signIn.loggedOut', { agent: name })
          : t('signIn.forgotten', { agent: name, count: forgotten, n: forgotten }),
      );
    });
    await this.attempt(t('failed.agent'), () => this.reloadAgents());
  }

  openLink(url: string): void {
    if (this.transport.kind === 'window') {
      void this.attempt(t('failed.openLink'), () => this.transport.call('OpenLink', { url }));
    } else {
      window.open(url, '_blank', 'noopener,noreferrer');
    }
  }

  /** Does something and says so when it does not work. */
  async attempt(what: string, action: () => Promise<unknown>): Promise<void> {
    try {
      await action();
    } catch (error) {
      sayFailed(what, error);
    }
  }

  private receive(event: AppEvent): void {
    const before = this.store.get().spaces.find(({ id }) => id === spaceOf(event));
    this.take(event);
    for (const key of outdatedBy(event, before)) this.refresher.outdated(key);
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
        this.store.set({ agents: event.agents ?? [] });
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
        this.putCalls(event.toolCalls);
        return;
      case 'installs':
        this.putInstalls(event.installs ?? []);
        return;
      case 'problems':
        this.store.set({ problems: event.problems ?? [] });
        return;
      case 'show':
        this.select(event.spaceId);
        return;
    }
  }

  private putSpace(space: Space): void {
    this.sessions.get(space.id)?.setSpace(space);
    const others = this.store.get().spaces.filter((one) => one.id !== space.id);
    if (space.archived) {
      if (others.length < this.store.get().spaces.length) this.dropSpace(space.id);
      return;
    }
    const spaces = [...others, space].sort((a, b) => b.lastActivity - a.lastActivity);
    this.store.set({ spaces });
  }

  private dropSpace(spaceId: string): void {
    const { spaces, selected, screen } = this.store.get();
    const at = spaces.findIndex((space) => space.id === spaceId);
    if (at < 0) return;
    this.sessions.get(spaceId)?.unwatch();
    this.sessions.delete(spaceId);
    const left = spaces.filter((space) => space.id !== spaceId);
    // From a branch the way is back to what it came from.
    const parent = left.find(({ id }) => id === spaces[at]?.parentId)?.id;
    const near = parent ?? left[Math.min(at, left.length - 1)]?.id ?? null;
    const next = selected === spaceId ? near : selected;
    this.store.set({
      spaces: left,
      selected: next,
      screen: left.length === 0 && screen === 'space' ? 'new' : screen,
    });
  }
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
