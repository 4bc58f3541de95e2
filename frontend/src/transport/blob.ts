import type { Ref } from '../transcript/types';
import { withSession } from './page';

/** The same handler responds in the window and in serve mode. */
export function blobUrl(ref: Ref): string {
  return `/blob/${encodeURIComponent(ref.hash)}`;
}

/** Returns the first `limit` bytes of a blob as text. */
export async function blobText(ref: Ref, limit: number): Promise<string> {
  const response = await fetch(
    blobUrl(ref),
    withSession(ref.size > limit ? { headers: { Range: `bytes=0-${limit - 1}` } } : {}),
  );
  if (!response.ok) throw new Error(`HTTP ${response.status}`);
  const text = await response.text();
  return text.length > limit ? text.slice(0, limit) : text;
}

/** Returns the last `limit` bytes of a blob as text, starting at a character boundary. */
export async function blobTail(ref: Ref, limit: number): Promise<string> {
  const response = await fetch(
    blobUrl(ref),
    withSession(ref.size > limit ? { headers: { Range: `bytes=-${limit}` } } : {}),
  );
  if (!response.ok) throw new Error(`HTTP ${response.status}`);
  const text = await response.text();
  return ref.size > limit ? text.replace(/^\ufffd+/, '') : text;
}

const shown = new Map<string, { users: number; url: Promise<string> }>();

/**
 * Returns a URL at which the page can show a blob until `release` is called. An <img> can't send the page's header, so
 * the bytes are fetched first and shared by all users of the URL.
 */
export function showable(address: string): { url: Promise<string>; release: () => void } {
  let one = shown.get(address);
  if (one === undefined) {
    one = { users: 0, url: read(address) };
    shown.set(address, one);
  }
  const kept = one;
  kept.users++;
  return {
    url: kept.url,
    release: () => {
      kept.users--;
      if (kept.users > 0) return;
      if (shown.get(address) === kept) shown.delete(address);
      kept.url.then(URL.revokeObjectURL, () => {});
    },
  };
}

async function read(address: string): Promise<string> {
  const response = await fetch(address, withSession());
  if (!response.ok) throw new Error(`HTTP ${response.status}`);
  return URL.createObjectURL(await response.blob());
}
