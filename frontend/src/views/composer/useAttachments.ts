import { t } from '../../i18n';
import { type Attached, Attachments, most, sameParts, unsupportedPart } from '../../state/attachments';
import type { Drafts } from '../../state/drafts';
import { say } from '../../state/notify';
import type { Can } from '../../transport/api';
import { oneLine } from '../parts/clean';
import { bytes } from '../parts/numbers';

const made = new WeakMap<Drafts, Map<string, Attachments>>();

/** The attachments of a space's draft, in sync with its saved state. They stay while the user visits another space. */
export function attachmentsOf(drafts: Drafts, spaceId: string): Attachments {
  const bySpace = made.get(drafts) ?? new Map<string, Attachments>();
  made.set(drafts, bySpace);
  const known = bySpace.get(spaceId);
  if (known !== undefined) return known;
  const attachments = new Attachments(spaceId, attachmentWords);
  bySpace.set(spaceId, attachments);
  attachments.putParts(drafts.content(spaceId).parts);
  drafts.watch(spaceId, ({ parts }) => attachments.putParts(parts));
  attachments.store.subscribe(() => {
    const parts = attachments.parts();
    if (!sameParts(parts, drafts.content(spaceId).parts)) drafts.change(spaceId, { parts });
  });
  return attachments;
}

export const attachmentWords = {
  tooLarge: (name: string) => t('attach.tooLarge', { name: oneLine(name), size: bytes(most.total) }),
  imageTooLarge: (name: string) =>
    t('attach.imageTooLarge', { name: oneLine(name), size: bytes(most.image) }),
  totalTooLarge: () => t('attach.totalTooLarge', { size: bytes(most.total) }),
  empty: (name: string) => t('attach.empty', { name: oneLine(name) }),
  folder: (name: string) => t('attach.folder', { name: oneLine(name) }),
  notSmaller: (name: string) => t('attach.notSmaller', { name: oneLine(name) }),
};

/** Why this cannot be sent to the agent; "" if it can. */
export function problemOf(one: Attached, can: Can | null, agent: string): string {
  if (one.problem !== '') return one.problem;
  const kind = unsupportedPart(one, can);
  return kind === null ? '' : t(`attach.untaken.${kind}`, { agent: oneLine(agent), name: oneLine(one.name) });
}

/** Attaches files and reports how many didn't fit. */
export function attach(attachments: Attachments, files: readonly File[]): void {
  const left = attachments.add(files);
  if (left > 0) say(t('attach.tooMany', { count: left, most: most.parts }));
}

/** The contents of a drop or a paste: files, names of folders, and file URLs. */
export function transferContents(data: DataTransfer): { files: File[]; folders: string[]; uris: string[] } {
  const folders: string[] = [];
  const files: File[] = [];
  for (const item of data.items) {
    if (item.kind !== 'file') continue;
    const entry = item.webkitGetAsEntry?.() ?? null;
    if (entry?.isDirectory === true) folders.push(entry.name);
    else {
      const file = item.getAsFile();
      if (file !== null) files.push(file);
    }
  }
  const uris = data
    .getData('text/uri-list')
    .split(/\r?\n/)
    .filter((line) => line.startsWith('file://'));
  return { files, folders, uris };
}

/** The path within the folder that a file URL refers to; null if it is outside. */
export function pathWithin(folder: string, uri: string): string | null {
  try {
    const path = decodeURIComponent(new URL(uri).pathname);
    const start = folder.endsWith('/') ? folder : `${folder}/`;
    return path.startsWith(start) && path.length > start.length ? path.slice(start.length) : null;
  } catch {
    return null;
  }
}
