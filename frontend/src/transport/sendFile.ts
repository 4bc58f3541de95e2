import { t } from '../i18n';
import { withSession } from './page';
import { CommandError, errorOfRefusal, type Refusal } from './transport';

/**
 * Uploads a file to a URL, which is the same in the window and in serve mode, and returns the response with the number
 * of bytes. The bytes are read first: WebKit doesn't pass file bodies to the window's own server.
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
    throw errorOfRefusal(answer ?? {}, t('transport.status', { status: response.status }));
  return { answer, size: bytes.byteLength };
}
