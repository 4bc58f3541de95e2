import type { DraftPart, DraftStart } from '../transport/api';

/** Unsent text with its attachments. */
export interface DraftContent {
  readonly text: string;
  readonly parts: readonly DraftPart[];
  /** Choices in the new-space form. */
  readonly start: DraftStart | null;
  /** Earlier prompts that were edited but not sent, oldest first. */
  readonly aside: readonly string[];
}

export const noDraft: DraftContent = { text: '', parts: [], start: null, aside: [] };

// What pages leave in the browser's storage for the next one: drafts that the backend did not receive in time, and
// those of earlier versions of Weft.

export interface Unsaved extends DraftContent {
  editedAt: number;
}

const unsavedKey = 'weft.unsaved.';
/** Earlier versions stored all drafts there. Those of requests still are. */
const draftKey = 'weft.draft.';
const attachedKey = 'weft.attached.';

export function writeUnsaved(spaceId: string, unsaved: Unsaved): void {
  try {
    localStorage.setItem(unsavedKey + spaceId, JSON.stringify(unsaved));
  } catch {
    // Storage may be full or forbidden; then what the backend did not receive is lost.
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

/** A draft that an earlier page could not save; null if it can't be read. */
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

/** A draft of a space that an earlier version of Weft stored, or null. */
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
