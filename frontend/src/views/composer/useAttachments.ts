import { t } from '../../i18n';
import { type Attached, Attachments, most, untaken } from '../../state/attachments';
import { say } from '../../state/notify';
import type { Can } from '../../transport/api';
import { oneLine } from '../parts/clean';
import { bytes } from '../parts/numbers';

const drafts = new Map<string, Attachments>();

/** What is attached to the draft of a space: it stays while the user looks at another one. */
export function attachmentsOf(spaceId: string): Attachments {
  const known = drafts.get(spaceId) ?? new Attachments(spaceId, attachmentWords);
  drafts.set(spaceId, known);
  return known;
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

/** Why this cannot be sent to the agent, "" if it can. */
export function problemOf(one: Attached, can: Can | null, agent: string): string {
  if (one.problem !== '') return one.problem;
  const kind = untaken(one, can);
  return kind === null ? '' : t(`attach.untaken.${kind}`, { agent: oneLine(agent), name: oneLine(one.name) });
}

/** Takes files and says how many there was no room for. */
export function attach(attachments: Attachments, files: readonly File[]): void {
  const left = attachments.add(files);
  if (left > 0) say(t('attach.tooMany', { count: left, most: most.parts }));
}

/** What a drop or a paste holds: files, the names of folders, and addresses of files. */
export function handedIn(data: DataTransfer): { files: File[]; folders: string[]; uris: string[] } {
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

/** The path in the folder that a file address means; null if it is elsewhere. */
export function pathWithin(folder: string, uri: string): string | null {
  try {
    const path = decodeURIComponent(new URL(uri).pathname);
    const start = folder.endsWith('/') ? folder : `${folder}/`;
    return path.startsWith(start) && path.length > start.length ? path.slice(start.length) : null;
  } catch {
    return null;
  }
}
