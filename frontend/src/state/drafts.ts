import type { Draft, DraftEvent } from '../transport/api';
import { asCommandError, type Transport } from '../transport/transport';
import { withoutText, withText } from './aside';
import {
  type DraftContent,
  noDraft,
  readOldDraft,
  readUnsaved,
  removeUnsaved,
  unsavedOf,
  writeUnsaved,
} from './unsaved';

/** Used as the space id for the draft of the new-space form. */
export const newSpaceDraft = '';

/** How long a pause in typing lasts before the draft is saved, and the longest time it stays unsaved, in ms. */
const pause = 400;
const longest = 2000;
/** Delay before retrying a failed save, in ms. */
const again = 5000;

interface Entry {
  content: DraftContent;
  /** The saved draft was read, or there is none. */
  known: boolean;
  /** It has unsaved edits. */
  dirty: boolean;
  editedAt: number;
  /** Since when it has been unsaved. */
  since: number;
  timer: ReturnType<typeof setTimeout> | undefined;
  loading: Promise<void> | null;
  /** It was saved elsewhere while it was being read, so the result may be outdated. */
  outdated: boolean;
  saving: Promise<void> | null;
  /** When the version edited here was saved (by the backend's clock); 0 if never. */
  over: number;
  /** When another window saved it last, as far as this one knows. */
  outside: number;
  /** Its length when it was refused. */
  refused: number;
  /** How many prompts taken from it are not accepted yet: the saved draft stays until they are. */
  sending: number;
  listeners: Set<(content: DraftContent) => void>;
}

/** The drafts of a window. The backend stores them; this holds those that were used here. */
export class Drafts {
  private readonly transport: Transport;
  private readonly say: (sentence: string) => void;
  private readonly entries = new Map<string, Entry>();
  /** Identifies this window, so that it recognizes its own changes. */
  private readonly window = Math.random().toString(36).slice(2);

  /** The page is probably gone, and the next one takes over what it left. */
  private left = false;

  constructor(transport: Transport, say: (sentence: string) => void) {
    this.transport = transport;
    this.say = say;
  }

  /** Returns the draft as far as it is known. */
  content(spaceId: string): DraftContent {
    return this.entry(spaceId).content;
  }

  /**
   * Calls the listener whenever the draft changes other than by typing here: once the saved draft was read, and when
   * another window changes it. Text typed before it was read is appended to it.
   */
  watch(spaceId: string, listener: (content: DraftContent) => void): () => void {
    const entry = this.entry(spaceId);
    entry.listeners.add(listener);
    if (!entry.known) void this.load(spaceId);
    return () => entry.listeners.delete(listener);
  }

  /** Applies what the user typed or chose. It is saved a little later. */
  change(spaceId: string, change: Partial<DraftContent>): void {
    const entry = this.entry(spaceId);
    if ((Object.keys(change) as (keyof DraftContent)[]).every((key) => change[key] === entry.content[key]))
      return;
    this.left = false;
    entry.content = { ...entry.content, ...change };
    entry.editedAt = Date.now();
    if (!entry.dirty) entry.since = entry.editedAt;
    entry.dirty = true;
    this.saveSoon(spaceId, entry);
  }

  /** Stores a text alongside the draft, where the arrow keys of the message field find it. */
  keepAside(spaceId: string, text: string): void {
    this.change(spaceId, { aside: withText(withoutText(this.content(spaceId).aside, text), text) });
  }

  /** Starts the draft of a new space. */
  begin(spaceId: string, text: string): void {
    this.entry(spaceId).known = true;
    this.change(spaceId, { text });
  }

  /** Clears a draft that was sent. */
  clear(spaceId: string): void {
    this.change(spaceId, noDraft);
    void this.flush(spaceId);
  }

  /** Keeps the saved draft while its content is being sent, and if it isn't accepted. */
  async sent(spaceId: string, accepted: Promise<void>): Promise<void> {
    const entry = this.entry(spaceId);
    entry.sending++;
    await accepted;
    entry.sending--;
    void this.flush(spaceId);
  }

  /** Saves unsaved edits now. */
  async flush(spaceId: string): Promise<void> {
    const entry = this.entries.get(spaceId);
    if (entry === undefined) return;
    clearTimeout(entry.timer);
    await entry.saving;
    if (entry.dirty) await this.save(spaceId, entry);
  }

  flushAll(): void {
    for (const spaceId of this.entries.keys()) void this.flush(spaceId);
  }

  /** Called when the page is about to close: leaves what the backend may not receive in time to the next page. */
  handOver(): void {
    this.left = true;
    for (const [spaceId, { dirty, saving, known, content, editedAt }] of this.entries) {
      // The rest of the draft isn't known and must not be overwritten.
      if ((dirty || saving !== null) && known) writeUnsaved(spaceId, { ...content, editedAt });
    }
    this.flushAll();
  }

  /** A window saved a draft, maybe this one. */
  receive({ spaceId, by, editedAt }: Omit<DraftEvent, 'type'>): void {
    const entry = this.entries.get(spaceId);
    if (by === this.window || entry === undefined) return;
    entry.outdated = entry.loading !== null;
    if (!entry.known) return;
    entry.outside = Math.max(entry.outside, editedAt);
    // Edits in this window will be saved later, so they win.
    if (!entry.dirty && entry.saving === null) void this.load(spaceId);
  }

  /** Events were lost, so what is shown may be outdated. */
  refresh(): void {
    for (const [spaceId, entry] of this.entries) {
      if (entry.dirty || entry.saving !== null) void this.flush(spaceId);
      else if (entry.listeners.size > 0) void this.load(spaceId);
      else this.entries.delete(spaceId);
    }
  }

  /** Drops the draft of a deleted space. */
  forget(spaceId: string): void {
    clearTimeout(this.entries.get(spaceId)?.timer);
    this.entries.delete(spaceId);
  }

  /** Sends the drafts that earlier pages left in the browser's storage. */
  async adopt(spaceIds: readonly string[]): Promise<void> {
    for (const spaceId of readUnsaved()) {
      const left = unsavedOf(spaceId);
      if (left === null) removeUnsaved(spaceId);
      else if (await this.hand(spaceId, left, left.editedAt)) removeUnsaved(spaceId);
    }
    for (const spaceId of spaceIds) {
      const old = readOldDraft(spaceId);
      // Older than everything that the backend has.
      if (old !== null && (await this.hand(spaceId, { ...noDraft, ...old.content }, 1))) old.remove();
    }
  }

  /** Sends a draft of an earlier page. Returns whether the backend has accepted or rejected it. */
  private async hand(
    spaceId: string,
    { text, parts, start, aside }: DraftContent,
    editedAt: number,
  ): Promise<boolean> {
    try {
      const by = `${this.window}-earlier`; // so that this page reads it, too
      const ago = Math.max(0, Date.now() - editedAt);
      const content = { text, parts: [...parts], start, aside: [...aside] };
      await this.transport.call('SaveDraft', { spaceId, ...content, ago, by });
      return true;
    } catch (error) {
      return ['not_found', 'invalid'].includes(asCommandError(error).code);
    }
  }

  private entry(spaceId: string): Entry {
    const known = this.entries.get(spaceId);
    if (known !== undefined) return known;
    const entry: Entry = {
      ...{ content: noDraft, known: false, dirty: false, editedAt: 0, since: 0, timer: undefined },
      ...{ loading: null, outdated: false, saving: null, over: 0, outside: 0, refused: 0, sending: 0 },
      listeners: new Set(),
    };
    this.entries.set(spaceId, entry);
    return entry;
  }

  private load(spaceId: string): Promise<void> {
    const entry = this.entry(spaceId);
    entry.loading ??= this.read(spaceId, entry).finally(() => {
      entry.loading = null;
      if (entry.outdated) {
        entry.outdated = false;
        void this.load(spaceId);
      }
    });
    return entry.loading;
  }

  private async read(spaceId: string, entry: Entry): Promise<void> {
    let read: Draft;
    try {
      read = await this.transport.call('Draft', { spaceId });
    } catch {
      return; // it is read again with the next edit, or after reconnecting
    }
    const { editedAt = 0 } = read;
    const saved = contentOf(read);
    const first = !entry.known;
    entry.known = true;
    if (entry.dirty && !first) return; // the user typed meanwhile
    entry.over = editedAt;
    const typed = entry.content;
    entry.content =
      first && entry.dirty
        ? {
            text: saved.text + typed.text,
            parts: [...saved.parts, ...typed.parts],
            start: typed.start ?? saved.start,
            aside: [...saved.aside, ...typed.aside],
          }
        : saved;
    if (!entry.dirty) entry.editedAt = editedAt;
    for (const listener of [...entry.listeners]) listener(entry.content);
    if (entry.dirty) this.saveSoon(spaceId, entry);
  }

  /** Replaces an older edit with the saved draft. */
  private take(entry: Entry, saved: Draft): void {
    const { editedAt = 0 } = saved;
    entry.content = contentOf(saved);
    entry.editedAt = editedAt;
    entry.over = editedAt;
    for (const listener of [...entry.listeners]) listener(entry.content);
  }

  private saveSoon(spaceId: string, entry: Entry): void {
    clearTimeout(entry.timer);
    const left = entry.since + longest - Date.now();
    entry.timer = setTimeout(() => void this.save(spaceId, entry), Math.max(0, Math.min(pause, left)));
  }

  private async save(spaceId: string, entry: Entry): Promise<void> {
    if (entry.saving !== null || entry.sending > 0) return; // it checks again when done
    if (!entry.known) {
      // Typed text is appended to the saved draft, so that has to be read first.
      await this.load(spaceId);
      return;
    }
    if (entry.refused > 0 && entry.content.text.length >= entry.refused) return;
    const content = entry.content;
    entry.dirty = false;
    entry.saving = this.send(spaceId, entry, content).finally(() => {
      entry.saving = null;
    });
    await entry.saving;
    if (entry.dirty && entry.content !== content) this.saveSoon(spaceId, entry);
  }

  private async send(
    spaceId: string,
    entry: Entry,
    { text, parts, start, aside }: DraftContent,
  ): Promise<void> {
    try {
      // Send the age and not the time, because this machine's clock may differ.
      const ago = Math.max(0, Date.now() - entry.editedAt);
      const content = { text, parts: [...parts], start, aside: [...aside] };
      const request = { spaceId, ...content, ago, over: entry.over, by: this.window };
      const saved = await this.transport.call('SaveDraft', request);
      const { editedAt = 0 } = saved;
      if (saved.text === text) entry.over = editedAt;
      entry.refused = 0;
      removeUnsaved(spaceId);
      // Another window saved a newer edit.
      if (!entry.dirty && saved.text !== text) this.take(entry, saved);
      if (!entry.dirty && entry.outside >= editedAt) setTimeout(() => void this.load(spaceId));
    } catch (error) {
      const { code, message } = asCommandError(error);
      if (code === 'not_found') return this.forget(spaceId);
      entry.dirty = true;
      if (code !== 'too_large') {
        // The backend may exit before it can save it, for example on a full disk.
        writeUnsaved(spaceId, { text, parts, start, aside, editedAt: entry.editedAt });
        clearTimeout(entry.timer);
        if (!this.left) entry.timer = setTimeout(() => void this.flush(spaceId), again);
        return;
      }
      if (entry.refused === 0) this.say(message);
      entry.refused = text.length;
    }
  }
}

function contentOf({ text, parts, start, aside }: Draft): DraftContent {
  return { text, parts: parts ?? [], start, aside: aside ?? [] };
}
