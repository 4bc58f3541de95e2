import { inWindow } from '../transport/wails';

// Blobs: data that is too large for an event and is fetched on demand.
export { blobTail, blobText, blobUrl, showable } from '../transport/blob';

/** Reports whether an image can be loaded from its URL. A browser needs the bytes of a blob first; see showable. */
export function showsByAddress(address: string): boolean {
  return inWindow() || !address.startsWith('/blob/');
}
