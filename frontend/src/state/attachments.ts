import type { Ref } from '../transcript/types';
import type { Attachment, Can, DraftPart, PromptPart } from '../transport/api';
import { blobUrl } from '../transport/blob';
import { asCommandError } from '../transport/transport';
import { upload } from '../transport/upload';
import { Store } from './store';

/** The limits, as in backend/files/attachment. */
export const most = { image: 10 << 20, total: 20 << 20, parts: 20 };

/** An attachment of the next prompt in a space. */
export interface Attached {
  id: number;
  name: string;
  size: number;
  /** URL of its preview, if it is an image. */
  preview: string | null;
  kind: Attachment['kind'];
  status: 'uploading' | 'ready' | 'large' | 'failed';
  /** Why it cannot be sent. */
  problem: string;
  part: PromptPart | null;
  file: File | null;
}

/** Strings needed here, which the views pass in. */
export interface Words {
  tooLarge(name: string): string;
  imageTooLarge(name: string): string;
  totalTooLarge(): string;
  empty(name: string): string;
  folder(name: string): string;
  notSmaller(name: string): string;
}

const images = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];

/** The attachments of the draft of one space, including those that are still uploading or can't be sent. */
export class Attachments {
  readonly store = new Store<{ list: readonly Attached[] }>({ list: [] });
  private readonly spaceId: string;
  private readonly words: Words;
  private lastId = 0;
  private readonly pending = new Set<Promise<void>>();

  constructor(spaceId: string, words: Words) {
    this.spaceId = spaceId;
    this.words = words;
  }

  /** The attachments that can be stored in a draft. */
  parts(): DraftPart[] {
    return this.store.get().list.flatMap(({ status, part, name, size, kind }): DraftPart[] => {
      if (status !== 'ready' || part === null) return [];
      const place = part.path === undefined ? { hash: part.hash ?? '' } : { path: part.path };
      return [{ ...place, name, size, kind }];
    });
  }

  /** Applies the attachments stored in the draft. Those that are not ready stay. */
  putParts(parts: readonly DraftPart[]): void {
    const { list } = this.store.get();
    if (sameParts(parts, this.parts())) return;
    const kept = parts.map(
      (part) =>
        list.find((one) => one.status === 'ready' && one.part !== null && isOf(one.part, part)) ??
        this.restored(part),
    );
    const rest = list.filter((one) => one.status !== 'ready' || one.part === null);
    this.store.set({ list: [...kept, ...rest] });
  }

  private restored({ path, hash, name, size, kind }: DraftPart): Attached {
    return {
      ...{ ...blank, id: ++this.lastId, name, size, kind, status: 'ready' },
      preview: hash !== undefined && kind === 'image' ? blobUrl({ hash, size }) : null,
      part: path === undefined ? { hash: hash ?? '', name } : { path },
    };
  }

  /** Adds files while there is room and returns how many didn't fit. */
  add(files: readonly File[]): number {
    const room = most.parts - this.store.get().list.length;
    for (const file of files.slice(0, Math.max(0, room))) this.addFile(file);
    return Math.max(0, files.length - Math.max(0, room));
  }

  /** Adds a file or folder of the space's folder. */
  addPath(path: string): void {
    const { list } = this.store.get();
    if (list.some(({ part }) => part !== null && 'path' in part && part.path === path)) return;
    this.put({
      ...blank,
      id: ++this.lastId,
      name: path,
      status: 'ready',
      part: { path },
    });
  }

  /** Adds something that the backend already has. */
  addStored(ref: Ref, name: string, kind: Attachment['kind']): void {
    this.put({
      ...blank,
      id: ++this.lastId,
      name,
      size: ref.size,
      kind,
      preview: kind === 'image' ? blobUrl(ref) : null,
      status: 'ready',
      part: { hash: ref.hash, name },
    });
  }

  /** Shows why a folder cannot be attached. */
  addFolder(name: string): void {
    this.put({ ...blank, id: ++this.lastId, name, status: 'failed', problem: this.words.folder(name) });
  }

  remove(id: number): void {
    const one = this.find(id);
    if (one?.preview) URL.revokeObjectURL(one.preview);
    this.store.set({ list: this.store.get().list.filter((other) => other.id !== id) });
  }

  /** Empties the list and returns its content, which can be put back. */
  take(): readonly Attached[] {
    const { list } = this.store.get();
    this.store.set({ list: [] });
    return list;
  }

  putBack(list: readonly Attached[]): void {
    this.store.set({ list: [...list, ...this.store.get().list] });
  }

  /** Releases the previews of sent attachments. */
  forget(list: readonly Attached[]): void {
    for (const { preview } of list) if (preview !== null) URL.revokeObjectURL(preview);
  }

  /** Resolves when nothing is uploading anymore. */
  async settled(): Promise<void> {
    while (this.pending.size > 0) await Promise.all(this.pending);
  }

  /** Makes an image small enough to send. */
  async shrink(id: number): Promise<void> {
    const one = this.find(id);
    if (one?.file == null) return;
    this.change(id, { status: 'uploading', problem: '' });
    try {
      const small = await smaller(one.file);
      if (small === null) {
        this.change(id, { status: 'failed', problem: this.words.notSmaller(one.name) });
        return;
      }
      this.change(id, { name: small.name, size: small.size, file: small });
      this.start(id, small);
    } catch {
      this.change(id, { status: 'failed', problem: this.words.notSmaller(one.name) });
    }
  }

  private addFile(file: File): void {
    const id = ++this.lastId;
    const image = images.includes(file.type);
    const refused = this.refusal(file, image);
    this.put({
      ...blank,
      id,
      name: file.name,
      size: file.size,
      preview: image && file.size > 0 ? URL.createObjectURL(file) : null,
      kind: image ? 'image' : file.type.startsWith('audio/') ? 'audio' : 'text',
      ...(refused ?? { status: 'uploading' }),
      file,
    });
    if (refused === null) this.start(id, file);
  }

  private refusal(file: File, image: boolean): { status: 'large' | 'failed'; problem: string } | null {
    if (file.size === 0) return { status: 'failed', problem: this.words.empty(file.name) };
    if (image && file.size > most.image)
      return { status: 'large', problem: this.words.imageTooLarge(file.name) };
    if (file.size > most.total) return { status: 'failed', problem: this.words.tooLarge(file.name) };
    const total = this.store.get().list.reduce((sum, one) => sum + (sends(one) ? one.size : 0), file.size);
    return total > most.total ? { status: 'failed', problem: this.words.totalTooLarge() } : null;
  }

  private start(id: number, file: File): void {
    const sent = upload(this.spaceId, file.name, file).then(
      (stored) =>
        this.change(id, {
          status: 'ready',
          problem: '',
          kind: stored.kind,
          size: stored.size,
          ...(stored.path === ''
            ? { part: { hash: stored.hash, name: stored.name } }
            : { part: { path: stored.path }, name: stored.path }),
        }),
      (error: unknown) => {
        const one = this.find(id);
        if (one?.preview) URL.revokeObjectURL(one.preview);
        this.change(id, { status: 'failed', problem: asCommandError(error).message, preview: null });
      },
    );
    this.pending.add(sent);
    void sent.finally(() => this.pending.delete(sent));
  }

  private find(id: number): Attached | undefined {
    return this.store.get().list.find((one) => one.id === id);
  }

  private put(one: Attached): void {
    this.store.set({ list: [...this.store.get().list, one] });
  }

  private change(id: number, change: Partial<Attached>): void {
    this.store.set({
      list: this.store.get().list.map((one) => (one.id === id ? { ...one, ...change } : one)),
    });
  }
}

function isOf(one: PromptPart, part: DraftPart): boolean {
  return part.path === undefined ? one.hash === part.hash : one.path === part.path;
}

/** Reports whether two lists store the same attachments. */
export function sameParts(a: readonly DraftPart[], b: readonly DraftPart[]): boolean {
  return a.length === b.length && a.every((one, i) => one.path === b[i]?.path && one.hash === b[i]?.hash);
}

const blank: Omit<Attached, 'id' | 'name' | 'status'> = {
  size: 0,
  preview: null,
  kind: 'text',
  problem: '',
  part: null,
  file: null,
};

function sends(one: Attached): boolean {
  return one.status !== 'failed' && one.status !== 'large';
}

/** Returns the part that the agent doesn't support; null if it supports everything or isn't known yet. */
export function unsupportedPart(one: Attached, can: Can | null): 'image' | 'audio' | 'text' | null {
  if (can === null || !sends(one) || (one.part !== null && 'path' in one.part)) return null;
  if (one.kind === 'image') return can.image === true ? null : 'image';
  if (one.kind === 'audio') return can.audio === true ? null : 'audio';
  return can.embedded === true || one.status === 'uploading' ? null : 'text';
}

const sides = [2400, 1600, 1000];

/** Returns the image reduced below the limit, as WebP or JPEG; null if that is not possible. */
async function smaller(file: File): Promise<File | null> {
  const image = await createImageBitmap(file);
  try {
    for (const side of sides) {
      const canvas = drawn(image, Math.min(1, side / Math.max(image.width, image.height)));
      const blob = await encoded(canvas);
      if (blob === null || blob.size > most.image) continue;
      const end = blob.type === 'image/webp' ? 'webp' : 'jpg';
      return new File([blob], `${file.name.replace(/\.[^.]*$/, '')}.${end}`, { type: blob.type });
    }
    return null;
  } finally {
    image.close();
  }
}

function drawn(image: ImageBitmap, scale: number): HTMLCanvasElement {
  const canvas = document.createElement('canvas');
  canvas.width = Math.max(1, Math.round(image.width * scale));
  canvas.height = Math.max(1, Math.round(image.height * scale));
  canvas.getContext('2d')?.drawImage(image, 0, 0, canvas.width, canvas.height);
  return canvas;
}

/** WebP if the browser can write it (WebKit can't), otherwise JPEG, which has no transparency. */
async function encoded(canvas: HTMLCanvasElement): Promise<Blob | null> {
  const blobOf = (type: string) => new Promise<Blob | null>((done) => canvas.toBlob(done, type, 0.86));
  const webp = await blobOf('image/webp');
  if (webp?.type === 'image/webp') return webp;
  const pen = canvas.getContext('2d');
  if (pen !== null) {
    pen.globalCompositeOperation = 'destination-over';
    pen.fillStyle = '#fff';
    pen.fillRect(0, 0, canvas.width, canvas.height);
  }
  return blobOf('image/jpeg');
}
