// What the window itself remembers between starts: nothing here is the backend's business.

import type { InboxKind } from './inbox';
import type { ListView } from './list';

export interface Kept {
  sidebarWidth: number;
  sidebarOpen: boolean;
  panelWidth: number;
  widePanelWidth: number;
  changesSplit: boolean;
  selected: string | null;
  /** Tell through the desktop what waits while the window is not in front. */
  notify: boolean;
  /** Of what it isn't told, nevertheless. */
  quiet: readonly InboxKind[];
  /** The agent and the folder of the space that was created last. */
  lastAgent: KeptAgent | null;
  lastFolder: string | null;
  /** How the list of spaces is shown, and which of its groups and trees are open or closed. */
  list: Partial<ListView>;
  opened: Readonly<Record<string, boolean>>;
}

/** An agent by its id, and by its name for the time after it is gone. */
export interface KeptAgent {
  id: string;
  name: string;
}

const key = 'weft.window';
const defaults: Kept = {
  sidebarWidth: 260,
  sidebarOpen: true,
  panelWidth: 420,
  widePanelWidth: 560,
  changesSplit: false,
  selected: null,
  notify: true,
  quiet: [],
  lastAgent: null,
  lastFolder: null,
  list: {},
  opened: {},
};

export function readKept(): Kept {
  try {
    const value: unknown = JSON.parse(localStorage.getItem(key) ?? '{}');
    if (typeof value !== 'object' || value === null) return defaults;
    return { ...defaults, ...(value as Partial<Kept>) };
  } catch {
    return defaults;
  }
}

export function writeKept(change: Partial<Kept>): void {
  try {
    localStorage.setItem(key, JSON.stringify({ ...readKept(), ...change }));
  } catch {
    // Storage may be full or forbidden; the window then forgets.
  }
}

/** The agent and the folder that were used last, as far as what is kept can be read. */
export function readLastUsed(): Pick<Kept, 'lastAgent' | 'lastFolder'> {
  const { lastAgent, lastFolder } = readKept();
  const readable =
    typeof lastAgent?.id === 'string' && typeof lastAgent.name === 'string' && lastAgent.id !== '';
  return {
    lastAgent: readable ? lastAgent : null,
    lastFolder: typeof lastFolder === 'string' && lastFolder !== '' ? lastFolder : null,
  };
}

const draftKey = 'weft.draft.';

/** What was typed in the answer to a request, or into a prompt that is edited, and not sent. Drafts of prompts are the backend's: see drafts.ts. */
export function readDraft(id: string): string {
  try {
    return localStorage.getItem(draftKey + id) ?? '';
  } catch {
    return '';
  }
}

/** The same of what was kept as JSON; undefined where there is none that can be read. */
export function readDraftValue(id: string): unknown {
  try {
    return JSON.parse(readDraft(id));
  } catch {
    return undefined;
  }
}

export function writeDraft(id: string, text: string): void {
  try {
    if (text === '') localStorage.removeItem(draftKey + id);
    else localStorage.setItem(draftKey + id, text);
  } catch {
    // As above.
  }
}
