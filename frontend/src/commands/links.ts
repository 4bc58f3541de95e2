import { t } from '../i18n';
import { isLink, readLink } from '../state/link';
import { say } from '../state/notify';
import type { Weft } from '../state/weft';

/** Opens an address, because the user has clicked it: a link to a conversation here, anything else outside of Weft. */
export function openLink(weft: Weft, url: string): void {
  if (isLink(url)) {
    const linked = readLink(url);
    if (linked === null) say(t('link.bad'));
    else if (linked.place === null) weft.select(linked.spaceId);
    else weft.goTo(linked.spaceId, linked.place);
  } else if (weft.inWindow) {
    void weft.attempt(t('failed.openLink'), () => weft.transport.call('OpenLink', { url }));
  } else {
    window.open(url, '_blank', 'noopener,noreferrer');
  }
}
