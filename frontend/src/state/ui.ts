// What the window itself remembers between starts: nothing here is the backend's business.

export interface Kept {
  sidebarWidth: number;
  sidebarOpen: boolean;
  panelWidth: number;
  widePanelWidth: number;
  changesSplit: boolean;
  selected: string | null;
  /** Tell through the desktop what waits while the window is not in front. */
  notify: boolean;
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

const draftKey = 'weft.draft.';

/** What was typed in a space and not sent. */
export function readDraft(spaceId: string): string {
  try {
    return localStorage.getItem(draftKey + spaceId) ?? '';
  } catch {
    return '';
  }
}

export function writeDraft(spaceId: string, text: string): void {
  try {
    if (text === '') localStorage.removeItem(draftKey + spaceId);
    else localStorage.setItem(draftKey + spaceId, text);
  } catch {
    // As above.
  }
}
