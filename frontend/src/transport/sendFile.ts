import { t } from '../i18n';
import { withSession } from './page';
import { CommandError, type Refusal, refused } from './transport';

/**
 * Sends the bytes of a file to an address, which is the same in the window and in serve mode, and returns the answer with
 * how many they were. They are read first: WebKit does not hand a file itself to what serves the window.
 */
export async function sendFile<T>(
  address: string,
  name: string,
  data: Blob,
): Promise<{ answer: T; size: number }> {
  let bytes: ArrayBuffer;
  try {
    bytes = await data.arrayBuffer();
  } catch {
    throw new CommandError('unreadable', t('transport.unreadable', { name }));
  }
  let response: Response;
  try {
    response = await fetch(
      `${address}?name=${encodeURIComponent(name)}`,
      withSession({
        method: 'POST',
        headers: { 'Content-Type': 'application/octet-stream' },
        body: bytes,
      }),
    );
  } catch {
    throw new CommandError('offline', t('transport.silent'));
  }
  const answer = (await response.json().catch(() => null)) as (T & Refusal) | null;
  if (!response.ok || answer === null)
    throw refused(answer ?? {}, t('transport.status', { status: response.status }));
  return { answer, size: bytes.byteLength };
}
