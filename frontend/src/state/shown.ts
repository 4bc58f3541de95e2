import type { SpacePlace } from '../transport/api';
import type { Pending } from './inbox';
import { readAddress, readNewSpace } from './link';
import { type SettingsSection, sectionOf } from './settingsPlace';
import { readKept } from './ui';

export type Screen = 'space' | 'new' | 'settings' | 'registry' | 'inbox' | 'search';
/** What can be beside a transcript. */
export type PanelName = 'log' | 'changes' | 'branches' | 'members' | 'run' | 'file' | 'outline';

/** A place in a file; 0 where it has no line or column. */
export interface FilePlace {
  /** Absolute, or as seen from the space's folder. */
  path: string;
  line: number;
  column: number;
}

/** The file that the preview shows. */
export interface Preview extends FilePlace {
  spaceId: string;
  /** Counts the places that were opened. */
  n: number;
  /** What was there before, and comes back. */
  back: PanelName | null;
}

/** Where the settings are. The section stays for as long as the window lives. */
export interface SettingsView {
  section: SettingsSection;
  /** What is looked for in the section, by the id of its element; another object each time it is. */
  at: { readonly row: string } | null;
  /** The part of the permissions that is open. */
  permissions: 'rules' | 'history';
  /** The screen that they were opened from. */
  from: Screen;
}

/** Where the user is in the inbox. */
export interface InboxView {
  /** What is shown beside the list. It stays when it has left the list, until the user moves on. */
  chosen: Pending | null;
  /** Where there is room for one of them, it is shown in place of the list. */
  reading: boolean;
  /** The screen that it was opened from. */
  from: Screen;
}

/** What is marked at a place: the match of a text, told from others by what is around it. */
export interface Mark {
  query: string;
  before: string;
  after: string;
}

/** A place that the user wants to see. */
export interface Wanted {
  spaceId: string;
  place: SpacePlace;
  mark: Mark | null;
  /** Where the view was, for the way back. */
  view: View | null;
}

/** Where a reader is: the row at the top of the view, the place that it is at, and how far into the row the view begins. */
export interface View {
  place: SpacePlace;
  key: string;
  within: number;
}

/** A message in a space. */
export interface MessagePlace {
  spaceId: string;
  messageId: string;
}

/** What this window shows. Another window of the same backend may show something else. */
export interface ShownState {
  screen: Screen;
  /** The space that is open. */
  selected: string | null;
  settings: SettingsView;
  inbox: InboxView;
  /** What the registry is searched for when it is opened. */
  registryQuery: string;
  /** There is one panel beside a transcript; that of a file that is followed is told by `following`. */
  panel: PanelName | null;
  /** The run that its panel shows. */
  shownRun: string;
  /** The file that its panel shows. */
  preview: Preview | null;
  /** The place that the user wants to see, until it is there. */
  wanted: Wanted | null;
  /** The place in the space that is open that was gone to last: it is the address of the page. */
  arrived: SpacePlace | null;
  /** The prompt that is being edited, to be sent in a branch. */
  editing: MessagePlace | null;
  /** Spaces in which the agent is followed. */
  following: readonly string[];
  /** The space whose title is being edited in the sidebar. */
  renaming: string | null;
  sidebarOpen: boolean;
  drawerOpen: boolean;
}

const widePanels: readonly (PanelName | null)[] = ['changes', 'file'];

/** Whether there is a panel that lies over the conversation, because there is no room beside it: see shell.css. */
export function liesOver({ panel, following }: ShownState): boolean {
  if (panel === null && following.length === 0) return false;
  const wide = widePanels.includes(panel) || following.length > 0;
  return window.matchMedia(`(max-width: ${wide ? 1099 : 959}px)`).matches;
}

/** What a window shows first. */
export function firstShown(): ShownState {
  const kept = readKept();
  const section = sectionOf(window.location.hash);
  const linked = readAddress(window.location.hash);
  const place = linked?.place ?? null;
  return {
    screen:
      readNewSpace(window.location.hash) !== null ? 'new' : section === undefined ? 'space' : 'settings',
    selected: linked?.spaceId ?? kept.selected,
    settings: { section: section ?? 'agents', at: null, permissions: 'rules', from: 'space' },
    inbox: { chosen: null, reading: false, from: 'space' },
    registryQuery: '',
    panel: null,
    shownRun: '',
    preview: null,
    wanted:
      linked === null || place === null ? null : { spaceId: linked.spaceId, place, mark: null, view: null },
    arrived: place,
    editing: null,
    following: [],
    renaming: null,
    sidebarOpen: kept.sidebarOpen,
    drawerOpen: false,
  };
}
