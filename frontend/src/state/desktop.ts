import { type InboxKind, inboxKinds } from './inbox';
import { readKept, writeKept } from './ui';
import type { Asked, Weft } from './weft';

/** What a notice of the desktop says, and what a click on it opens: a request, or a space where that is empty. */
export interface DesktopNotice extends Asked {
  title: string;
  body: string;
  /** It stays until the user has seen it. */
  urgent: boolean;
}

/** Whether this window may tell something through the desktop: the app may, a page has to be allowed to. */
export function mayNotify(weft: Weft): boolean {
  if (!readKept().notify) return false;
  if (weft.inWindow) return true;
  return typeof Notification !== 'undefined' && Notification.permission === 'granted';
}

/** Asks the browser for leave; the app needs none. Has to be called from a click. */
export async function askToNotify(weft: Weft): Promise<boolean> {
  if (weft.inWindow) return true;
  if (typeof Notification === 'undefined') return false;
  return (await Notification.requestPermission()) === 'granted';
}

/** Texts without the secrets that are known; null where that can't be found out. */
export async function withoutSecrets(weft: Weft, texts: string[]): Promise<string[] | null> {
  try {
    return (await weft.transport.call('WithholdSecrets', { texts })).texts;
  } catch {
    return null;
  }
}

/** Tells something through the desktop. A desktop that cannot is no trouble: Weft shows it as well. */
export function notify(weft: Weft, notice: DesktopNotice): void {
  if (weft.inWindow) {
    void weft.transport.call('Notify', notice).catch(() => {});
    return;
  }
  const { title, body, spaceId, requestId } = notice;
  const shown = new Notification(title, { body, tag: `weft-${spaceId}` });
  shown.onclick = () => {
    window.focus();
    weft.asked.set({ spaceId, requestId });
    shown.close();
  };
}

/** The kinds that are shown as notifications. */
export function toldKinds(): readonly InboxKind[] {
  const { quiet } = readKept();
  return Array.isArray(quiet) ? inboxKinds.filter((kind) => !quiet.includes(kind)) : inboxKinds;
}

export function tellKind(kind: InboxKind, on: boolean): void {
  const told = toldKinds();
  writeKept({ quiet: inboxKinds.filter((one) => (one === kind ? !on : !told.includes(one))) });
}
