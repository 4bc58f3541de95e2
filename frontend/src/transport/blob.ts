import type { Ref } from '../transcript/types';

/** The same handler answers in the window and in serve mode. */
export function blobUrl(ref: Ref): string {
  return `/blob/${encodeURIComponent(ref.hash)}`;
}

/** The first `limit` bytes of a blob as text. */
export async function blobText(ref: Ref, limit: number): Promise<string> {
  const response = await fetch(blobUrl(ref), {
    credentials: 'same-origin',
    ...(ref.size > limit ? { headers: { Range: `bytes=0-${limit - 1}` } } : {}),
  });
  if (!response.ok) throw new Error(`HTTP ${response.status}`);
  const text = await response.text();
  return text.length > limit ? text.slice(0, limit) : text;
}

/** The last `limit` bytes of a blob as text, from a character on. */
export async function blobTail(ref: Ref, limit: number): Promise<string> {
  const response = await fetch(blobUrl(ref), {
    credentials: 'same-origin',
    ...(ref.size > limit ? { headers: { Range: `bytes=-${limit}` } } : {}),
  });
  if (!response.ok) throw new Error(`HTTP ${response.status}`);
  const text = await response.text();
  return ref.size > limit ? text.replace(/^\ufffd+/, '') : text;
}
