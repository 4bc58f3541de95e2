import { t } from '../i18n';
import { isLink, readLink } from '../state/link';
import { say } from '../state/notify';
import type { Weft } from '../state/weft';

/** Opens a link that the user clicked: a conversation opens in Weft, everything else outside. */
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
