import { t } from '../i18n';
import type { ExportRequest } from './api';
import { failureOf } from './http';
import { withSession } from './page';
import { CommandError } from './transport';

/** Details of a download from its headers. */
export interface Downloaded {
  name: string;
  bytes: number;
  secretsHidden: number;
  secretsUnread: number;
}

/** Makes the browser save an export. `onBytes` receives the number of bytes so far. */
export async function downloadExport(
  request: ExportRequest,
  signal: AbortSignal,
  onBytes: (bytes: number) => void,
): Promise<Downloaded> {
  const response = await fetch(
    '/api/exports',
    withSession({
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(request),
      signal,
    }),
  );
  if (!response.ok || response.body === null) throw await failureOf(response);
  const name = nameOf(response.headers.get('Content-Disposition') ?? '');
  const parts: Uint8Array<ArrayBuffer>[] = [];
  let bytes = 0;
  try {
    const reader = response.body.getReader();
    for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
      parts.push(piece.value as Uint8Array<ArrayBuffer>);
      bytes += piece.value.byteLength;
      onBytes(bytes);
    }
  } catch (error) {
    if (signal.aborted) throw error;
    throw new CommandError('incomplete', t('transport.exportEnded'));
  }
  const url = URL.createObjectURL(new Blob(parts, { type: response.headers.get('Content-Type') ?? '' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // The browser may start reading the file later.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
  const number = (header: string) => Number(response.headers.get(header) ?? 0);
  return {
    name,
    bytes,
    secretsHidden: number('X-Weft-Secrets-Hidden'),
    secretsUnread: number('X-Weft-Secrets-Unread'),
  };
}

/** Returns the file name in a header, even if it isn't ASCII. */
export function nameOf(disposition: string): string {
  const encoded = /filename\*=utf-8''([^;]+)/i.exec(disposition)?.[1];
  if (encoded !== undefined) {
    try {
      return decodeURIComponent(encoded);
    } catch {
      // Fall back to the plain file name.
    }
  }
  return /filename="?([^";]+)"?/.exec(disposition)?.[1] ?? 'conversation';
}
