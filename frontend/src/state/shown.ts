import type { SpacePlace } from '../transport/api';
import type { InboxItem } from './inbox';
import { readAddress, readNewSpace } from './link';
import { type SettingsSection, sectionOf } from './settingsPlace';
import { readKept } from './ui';

export type Screen = 'space' | 'new' | 'settings' | 'registry' | 'inbox' | 'search';
/** The panels beside a transcript. */
export type PanelName = 'log' | 'changes' | 'branches' | 'members' | 'run' | 'file' | 'outline';

/** A location in a file; line and column are 0 if not given. */
export interface FilePlace {
  /** Absolute, or relative to the space's folder. */
  path: string;
  line: number;
  column: number;
}

/** The file shown in the preview. */
export interface Preview extends FilePlace {
  spaceId: string;
  /** Incremented for each opened location. */
  n: number;
  /** The panel it replaced, which is restored afterwards. */
  back: PanelName | null;
}

/** The state of the settings. The section is remembered for the lifetime of the window. */
export interface SettingsView {
  section: SettingsSection;
  /** The row to scroll to, by element id; a new object for each request. */
  at: { readonly row: string } | null;
  /** The open tab of the permissions. */
  permissions: 'rules' | 'history';
  /** The screen from which they were opened. */
  from: Screen;
}

/** The user's position in the inbox. */
export interface InboxView {
  /** The item shown beside the list. It stays after it has left the list, until the user moves on. */
  chosen: InboxItem | null;
  /** If there is only room for one of both, the item replaces the list. */
  reading: boolean;
  /** The screen from which it was opened. */
  from: Screen;
}

/** What to highlight at a location: a text match, identified by the text around it. */
export interface Mark {
  query: string;
  before: string;
  after: string;
}

/** A location to scroll to. */
export interface Wanted {
  spaceId: string;
  place: SpacePlace;
  mark: Mark | null;
  /** Scroll position to return to. */
  view: View | null;
}

/** A scroll position: the row at the top of the view, its location, and the offset within the row. */
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
  /** The open space. */
  selected: string | null;
  settings: SettingsView;
  inbox: InboxView;
  /** Initial query of the registry. */
  registryQuery: string;
  /** The panel beside the transcript. The followed file's panel is controlled by `following`. */
  panel: PanelName | null;
  /** The run shown in its panel. */
  shownRun: string;
  /** The file shown in its panel. */
  preview: Preview | null;
  /** The location to scroll to, until the view is there. */
  wanted: Wanted | null;
  /** The last location visited in the open space, which is the page address. */
  arrived: SpacePlace | null;
  /** The prompt being edited, to be sent in a branch. */
  editing: MessagePlace | null;
  /** Spaces whose agent is being followed. */
  following: readonly string[];
  /** The space being renamed in the sidebar. */
  renaming: string | null;
  sidebarOpen: boolean;
  drawerOpen: boolean;
}

const widePanels: readonly (PanelName | null)[] = ['changes', 'file'];

/** Reports whether a panel overlays the conversation because there is no room beside it: see shell.css. */
export function isOverlay({ panel, following }: ShownState): boolean {
  if (panel === null && following.length === 0) return false;
  const wide = widePanels.includes(panel) || following.length > 0;
  return window.matchMedia(`(max-width: ${wide ? 1099 : 959}px)`).matches;
}

/** The initial state of a window. */
export function initialShown(): ShownState {
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
