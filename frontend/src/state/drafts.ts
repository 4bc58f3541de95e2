import type { Draft, DraftEvent } from '../transport/api';
import { asCommandError, type Transport } from '../transport/transport';
import { joined, without } from './aside';
import {
  type DraftContent,
  noDraft,
  readOldDraft,
  readUnsaved,
  removeUnsaved,
  unsavedOf,
  writeUnsaved,
} from './unsaved';

/** The draft of the form for a new space has this in place of the id of a space. */
export const newSpaceDraft = '';

/** How long a pause in typing is before the draft is saved, and how long it is unsaved at most, in ms. */
const pause = 400;
const longest = 2000;
/** How long after a save that failed the next one is tried, in ms. */
const again = 5000;

interface Entry {
  content: DraftContent;
  /** What is saved was read, or there is nothing. */
  known: boolean;
  /** It has edits that are not saved. */
  dirty: boolean;
  editedAt: number;
  /** Since when it has been unsaved. */
  since: number;
  timer: ReturnType<typeof setTimeout> | undefined;
  loading: Promise<void> | null;
  /** It was saved elsewhere while it was being read, so what is read may be older. */
  outdated: boolean;
  saving: Promise<void> | null;
  /** What is edited here, by when it was saved (on the backend's clock); 0 if nothing was. */
  over: number;
  /** When another window has saved it last, as far as this one has heard. */
  outside: number;
  /** It was as long as this when it was refused. */
  refused: number;
  /** How many prompts were taken from it that aren't accepted yet: what is saved stays until they are. */
  sending: number;
  listeners: Set<(content: DraftContent) => void>;
}

/** The drafts of a window. The backend keeps them; here are those that were looked at. */
export class Drafts {
  private readonly transport: Transport;
  private readonly say: (sentence: string) => void;
  private readonly entries = new Map<string, Entry>();
  /** Names this window, so that it knows its own changes again. */
  private readonly window = Math.random().toString(36).slice(2);

  /** The page is gone, as far as is known: the next one hands over what it leaves. */
  private left = false;

  constructor(transport: Transport, say: (sentence: string) => void) {
    this.transport = transport;
    this.say = say;
  }

  /** What is in the draft, as far as it is known. */
  content(spaceId: string): DraftContent {
    return this.entry(spaceId).content;
  }

  /**
   * Tells what is in a draft whenever that was not typed here: once what is saved was read, and when another window has
   * changed it. What is typed before it was read goes behind it.
   */
  watch(spaceId: string, listener: (content: DraftContent) => void): () => void {
    const entry = this.entry(spaceId);
    entry.listeners.add(listener);
    if (!entry.known) void this.load(spaceId);
    return () => entry.listeners.delete(listener);
  }

  /** Takes over what the user has typed or chosen. It is saved a little later. */
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

  /** Keeps a text besides the draft, where the arrow keys find it from the message field. */
  keepAside(spaceId: string, text: string): void {
    this.change(spaceId, { aside: joined(without(this.content(spaceId).aside, text), text) });
  }

  /** Begins the draft of a space that has just been made. */
  begin(spaceId: string, text: string): void {
    this.entry(spaceId).known = true;
    this.change(spaceId, { text });
  }

  /** Empties a draft: it was sent. */
  clear(spaceId: string): void {
    this.change(spaceId, noDraft);
    void this.flush(spaceId);
  }

  /** What was in a draft is being sent: what is saved of it stays until that was accepted, and if it isn't. */
  async sent(spaceId: string, accepted: Promise<void>): Promise<void> {
    const entry = this.entry(spaceId);
    entry.sending++;
    await accepted;
    entry.sending--;
    void this.flush(spaceId);
  }

  /** Saves what is unsaved, now. */
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

  /** The page is about to go: what the backend may not get in time is left to the next one. */
  leave(): void {
    this.left = true;
    for (const [spaceId, { dirty, saving, known, content, editedAt }] of this.entries) {
      // What is in the draft besides isn't known: it must not be replaced.
      if ((dirty || saving !== null) && known) writeUnsaved(spaceId, { ...content, editedAt });
    }
    this.flushAll();
  }

  /** Another window, or this one, has saved a draft. */
  heard({ spaceId, by, editedAt }: Omit<DraftEvent, 'type'>): void {
    const entry = this.entries.get(spaceId);
    if (by === this.window || entry === undefined) return;
    entry.outdated = entry.loading !== null;
    if (!entry.known) return;
    entry.outside = Math.max(entry.outside, editedAt);
    // What is typed here now is saved after it, so it is what counts.
    if (!entry.dirty && entry.saving === null) void this.load(spaceId);
  }

  /** Events were lost: what is shown may be outdated. */
  refresh(): void {
    for (const [spaceId, entry] of this.entries) {
      if (entry.dirty || entry.saving !== null) void this.flush(spaceId);
      else if (entry.listeners.size > 0) void this.load(spaceId);
      else this.entries.delete(spaceId);
    }
  }

  /** A space is gone, and its draft with it. */
  forget(spaceId: string): void {
    clearTimeout(this.entries.get(spaceId)?.timer);
    this.entries.delete(spaceId);
  }

  /** Hands over what earlier pages have left in the storage of the browser. */
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

  /** Whether the backend has decided about a draft of an earlier page. */
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
      return; // it is read again with the next edit, or once the connection is back
    }
    const { editedAt = 0 } = read;
    const saved = contentOf(read);
    const first = !entry.known;
    entry.known = true;
    if (entry.dirty && !first) return; // typed meanwhile
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

  /** Takes over what is saved in place of an older edit. */
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
    if (entry.saving !== null || entry.sending > 0) return; // it looks again when it is done
    if (!entry.known) {
      // What is typed comes behind what is saved, so that has to be read first.
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
      // How long ago, and not when: the clock of this machine may be another one.
      const ago = Math.max(0, Date.now() - entry.editedAt);
      const content = { text, parts: [...parts], start, aside: [...aside] };
      const request = { spaceId, ...content, ago, over: entry.over, by: this.window };
      const saved = await this.transport.call('SaveDraft', request);
      const { editedAt = 0 } = saved;
      if (saved.text === text) entry.over = editedAt;
      entry.refused = 0;
      removeUnsaved(spaceId);
      // Another window has saved a newer edit.
      if (!entry.dirty && saved.text !== text) this.take(entry, saved);
      if (!entry.dirty && entry.outside >= editedAt) setTimeout(() => void this.load(spaceId));
    } catch (error) {
      const { code, message } = asCommandError(error);
      if (code === 'not_found') return this.forget(spaceId);
      entry.dirty = true;
      if (code !== 'too_large') {
        // The backend may be gone before it can save it: killed on a full disk, say.
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
