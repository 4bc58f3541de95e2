import type { DraftPart, DraftStart } from '../transport/api';

/** What was typed and not sent, with what goes along with it. */
export interface DraftContent {
  readonly text: string;
  readonly parts: readonly DraftPart[];
  /** What is chosen in the form for a new space. */
  readonly start: DraftStart | null;
  /** Earlier prompts that were changed and not sent, oldest first. */
  readonly aside: readonly string[];
}

export const noDraft: DraftContent = { text: '', parts: [], start: null, aside: [] };

// What pages leave in the storage of the browser for the next one: drafts that the backend did not get in time, and those
// that earlier versions of Weft have kept there.

export interface Unsaved extends DraftContent {
  editedAt: number;
}

const unsavedKey = 'weft.unsaved.';
/** Earlier versions had all drafts there, also those of requests, which still are. */
const draftKey = 'weft.draft.';
const attachedKey = 'weft.attached.';

export function writeUnsaved(spaceId: string, unsaved: Unsaved): void {
  try {
    localStorage.setItem(unsavedKey + spaceId, JSON.stringify(unsaved));
  } catch {
    // Storage may be full or forbidden; what the backend did not get is lost then.
  }
}

export function removeUnsaved(spaceId: string): void {
  try {
    localStorage.removeItem(unsavedKey + spaceId);
  } catch {
    // As above.
  }
}

/** The ids of the spaces whose drafts an earlier page could not save. */
export function readUnsaved(): string[] {
  try {
    return Object.keys(localStorage)
      .filter((key) => key.startsWith(unsavedKey))
      .map((key) => key.slice(unsavedKey.length));
  } catch {
    return [];
  }
}

/** What an earlier page could not save of a draft; null where it can't be read. */
export function unsavedOf(spaceId: string): Unsaved | null {
  try {
    const left = JSON.parse(localStorage.getItem(unsavedKey + spaceId) ?? '') as Partial<Unsaved> | null;
    if (typeof left?.text !== 'string' || typeof left.editedAt !== 'number') return null;
    const parts = Array.isArray(left.parts) ? left.parts : [];
    const aside = Array.isArray(left.aside) ? left.aside : [];
    return { text: left.text, parts, start: left.start ?? null, aside, editedAt: left.editedAt };
  } catch {
    return null;
  }
}

/** The draft that an earlier version has kept of a space, null if there is none. */
export function readOldDraft(
  spaceId: string,
): { content: Pick<DraftContent, 'text' | 'parts'>; remove(): void } | null {
  try {
    const text = localStorage.getItem(draftKey + spaceId) ?? '';
    const attached: unknown = JSON.parse(sessionStorage.getItem(attachedKey + spaceId) ?? '[]');
    const parts = (Array.isArray(attached) ? attached : []).flatMap(oldPart);
    if (text === '' && parts.length === 0) return null;
    return {
      content: { text, parts },
      remove: () => {
        localStorage.removeItem(draftKey + spaceId);
        sessionStorage.removeItem(attachedKey + spaceId);
      },
    };
  } catch {
    return null;
  }
}

function oldPart(one: {
  name?: unknown;
  size?: unknown;
  kind?: DraftPart['kind'];
  part?: { path?: string; hash?: string } | null;
}): DraftPart[] {
  const { name, size, kind = 'text', part } = one;
  if (typeof name !== 'string' || typeof size !== 'number' || part === null || part === undefined) return [];
  if (part.path !== undefined) return [{ path: part.path, name, size, kind }];
  return part.hash === undefined ? [] : [{ hash: part.hash, name, size, kind }];
}
