import type { Attachment } from './api';
import { withSession } from './page';
import { CommandError } from './transport';

/**
 * Hands in the bytes of a file; the window and serve mode take them at the same address. They are read
 * first: WebKit does not hand a file itself to what serves the window.
 */
export async function upload(spaceId: string, name: string, data: Blob): Promise<Attachment> {
  let bytes: ArrayBuffer;
  try {
    bytes = await data.arrayBuffer();
  } catch {
    throw new CommandError('unreadable', `${name} cannot be read any more.`);
  }
  let response: Response;
  try {
    response = await fetch(
      `/api/spaces/${encodeURIComponent(spaceId)}/uploads?name=${encodeURIComponent(name)}`,
      withSession({
        method: 'POST',
        headers: { 'Content-Type': 'application/octet-stream' },
        body: bytes,
      }),
    );
  } catch {
    throw new CommandError('offline', 'Weft does not answer.');
  }
  const answer = (await response.json().catch(() => null)) as
    | (Attachment & { code?: string; message?: string })
    | null;
  if (!response.ok || answer === null)
    throw new CommandError(answer?.code ?? 'unknown', answer?.message ?? `Weft answered ${response.status}.`);
  // What was cut on its way is not what the person wanted to send.
  if (answer.size !== bytes.byteLength)
    throw new CommandError('incomplete', `${name} did not arrive whole. Attach it again.`);
  return answer;
}
