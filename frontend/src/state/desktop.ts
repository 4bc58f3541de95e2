import { t } from '../i18n';
import type { Transport } from '../transport/transport';
import { readKept } from './ui';

/** What a notice of the desktop says, and the space that a click on it opens. */
export interface DesktopNotice {
  title: string;
  body: string;
  spaceId: string;
}

/** Whether this window may tell something through the desktop: the app may, a page has to be allowed to. */
export function mayNotify(transport: Transport): boolean {
  if (!readKept().notify) return false;
  if (transport.kind === 'window') return true;
  return typeof Notification !== 'undefined' && Notification.permission === 'granted';
}

/** Asks the browser for leave; the app needs none. Has to be called from a click. */
export async function askToNotify(transport: Transport): Promise<boolean> {
  if (transport.kind === 'window') return true;
  if (typeof Notification === 'undefined') return false;
  return (await Notification.requestPermission()) === 'granted';
}

/** Tells something through the desktop. A desktop that cannot is no trouble: Weft shows it as well. */
export function notify(transport: Transport, notice: DesktopNotice, open: (spaceId: string) => void): void {
  if (transport.kind === 'window') {
    void transport.call('Notify', notice).catch(() => {});
    return;
  }
  const shown = new Notification(notice.title, { body: notice.body, tag: `weft-${notice.spaceId}` });
  shown.onclick = () => {
    window.focus();
    open(notice.spaceId);
    shown.close();
  };
}

export function manyWait(count: number): string {
  return t('notify.many', { n: count });
}
