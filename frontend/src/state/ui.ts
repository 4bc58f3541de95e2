// What the window itself remembers between starts, without the backend.

import type { InboxKind } from './inbox';
import type { ListView } from './list';

export interface Kept {
  sidebarWidth: number;
  sidebarOpen: boolean;
  panelWidth: number;
  widePanelWidth: number;
  changesSplit: boolean;
  selected: string | null;
  /** Show desktop notifications while the window is not in front. */
  notify: boolean;
  /** Kinds without notifications. */
  quiet: readonly InboxKind[];
  /** The agent and the folder of the last created space. */
  lastAgent: KeptAgent | null;
  lastFolder: string | null;
  /** Settings of the space list, and which groups and trees are open or closed. */
  list: Partial<ListView>;
  opened: Readonly<Record<string, boolean>>;
}

/** An agent by id, with its name in case it is removed. */
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
    // Storage may be full or forbidden; then the window forgets.
  }
}

/** Returns the last used agent and folder, if they can be read. */
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

/**
 * Unsent text of an answer or of a prompt that is being edited. The backend stores drafts of prompts: see drafts.ts.
 */
export function readDraft(id: string): string {
  try {
    return localStorage.getItem(draftKey + id) ?? '';
  } catch {
    return '';
  }
}

/** The same for JSON values; undefined if there is none or it can't be read. */
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
