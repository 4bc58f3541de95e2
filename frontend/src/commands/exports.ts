import { copyText } from '../markdown/copyText';
import type { Weft } from '../state/weft';
import type { Request } from '../transport/api';
import { downloadExport } from '../transport/exports';

// Commands that export conversations.

export type ExportRequest = Request<'ExportText'>;

/** The result of an export. */
export interface Exported {
  /** Path of the file. Empty if the browser downloaded it. */
  path: string;
  name: string;
  bytes: number;
  secretsHidden: number;
  secretsUnread: number;
  missing: number;
  cut: number;
}

/** Progress of an export: the number of segments, or bytes if the total is unknown. */
export interface ExportProgress {
  done: number;
  total: number;
  bytes: number;
}

/** Request for a whole space as Markdown. */
export function wholeSpace(spaceId: string, change: Partial<ExportRequest> = {}): ExportRequest {
  return { format: 'md', spaceId, from: '', to: '', branches: false, thoughts: true, places: [], ...change };
}

/**
 * Writes an export to a file: the window asks for the location, the browser downloads it. Returns null if the user
 * canceled the dialog. Aborting `signal` stops the export and removes the unfinished file.
 */
export async function exportFile(
  weft: Weft,
  request: ExportRequest,
  signal: AbortSignal,
  onProgress: (progress: ExportProgress) => void,
): Promise<Exported | null> {
  if (!weft.inWindow) {
    const file = await downloadExport(request, signal, (bytes) => onProgress({ done: 0, total: 0, bytes }));
    return { ...file, path: '', missing: 0, cut: 0 };
  }
  const id = crypto.randomUUID();
  const unwatch = weft.server.subscribe(() => {
    const now = weft.server.get().exporting;
    if (now?.id === id) onProgress({ done: now.done, total: now.total, bytes: 0 });
  });
  const cancel = () => void weft.transport.call('CancelExport', { id }).catch(() => {});
  signal.addEventListener('abort', cancel);
  try {
    const result = await weft.transport.call('SaveExport', { ...request, id });
    return result.path === '' ? null : result;
  } finally {
    signal.removeEventListener('abort', cancel);
    unwatch();
  }
}

/** Copies an export to the clipboard. */
export async function copyExport(weft: Weft, request: ExportRequest): Promise<Exported> {
  const { text, ...result } = await weft.transport.call('ExportText', request);
  await copyText(text);
  return result;
}

/** Reveals an exported file in the file manager. */
export async function showFile(weft: Weft, path: string): Promise<void> {
  await weft.transport.call('ShowFile', { path });
}
