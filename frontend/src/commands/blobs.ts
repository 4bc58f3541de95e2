import { inWindow } from '../transport/wails';

// What is too large for an event and is pulled when someone looks at it.
export { blobTail, blobText, blobUrl, showable } from '../transport/blob';

/** Whether an image can be shown by its address: a browser needs the bytes of a blob first, see showable. */
export function showsByAddress(address: string): boolean {
  return inWindow() || !address.startsWith('/blob/');
}
