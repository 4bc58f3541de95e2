import { type InboxKind, inboxKinds } from './inbox';
import { readKept, writeKept } from './ui';
import type { RequestTarget, Weft } from './weft';

/** A desktop notification. A click opens a request, or a space if that is empty. */
export interface DesktopNotice extends RequestTarget {
  title: string;
  body: string;
  /** It stays until the user dismisses it. */
  urgent: boolean;
}

/** Reports whether this window may show desktop notifications: the app always may, a page needs permission. */
export function canNotify(weft: Weft): boolean {
  if (!readKept().notify) return false;
  if (weft.inWindow) return true;
  return typeof Notification !== 'undefined' && Notification.permission === 'granted';
}

/** Asks the browser for permission; the app needs none. Must be called from a click. */
export async function askToNotify(weft: Weft): Promise<boolean> {
  if (weft.inWindow) return true;
  if (typeof Notification === 'undefined') return false;
  return (await Notification.requestPermission()) === 'granted';
}

/** Removes known secrets from texts. Returns null if that isn't possible. */
export async function withoutSecrets(weft: Weft, texts: string[]): Promise<string[] | null> {
  try {
    return (await weft.transport.call('WithholdSecrets', { texts })).texts;
  } catch {
    return null;
  }
}

/** Shows a desktop notification. Failures are ignored, because Weft shows the same in the window. */
export function notify(weft: Weft, notice: DesktopNotice): void {
  if (weft.inWindow) {
    void weft.transport.call('Notify', notice).catch(() => {});
    return;
  }
  const { title, body, spaceId, requestId } = notice;
  const shown = new Notification(title, { body, tag: `weft-${spaceId}` });
  shown.onclick = () => {
    window.focus();
    weft.externalRequest.set({ spaceId, requestId });
    shown.close();
  };
}

/** The kinds that are shown as notifications. */
export function notifiedKinds(): readonly InboxKind[] {
  const { quiet } = readKept();
  return Array.isArray(quiet) ? inboxKinds.filter((kind) => !quiet.includes(kind)) : inboxKinds;
}

export function setKindNotified(kind: InboxKind, on: boolean): void {
  const told = notifiedKinds();
  writeKept({ quiet: inboxKinds.filter((one) => (one === kind ? !on : !told.includes(one))) });
}
