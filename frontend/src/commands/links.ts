import { t } from '../i18n';
import type { Weft } from '../state/weft';

/** Opens an address outside of Weft, because the user has clicked it. */
export function openLink(weft: Weft, url: string): void {
  if (weft.inWindow) {
    void weft.attempt(t('failed.openLink'), () => weft.transport.call('OpenLink', { url }));
  } else {
    window.open(url, '_blank', 'noopener,noreferrer');
  }
}
