import { t } from '../../i18n';
import { copyText } from '../../markdown';
import { linkTo } from '../../state/link';
import { say, showFailure } from '../../state/notify';
import type { SpacePlace } from '../../transport/api';

/** Copies the link to a message or a space. */
export function copyLink(spaceId: string, place: SpacePlace | null = null): void {
  copyText(linkTo(spaceId, place)).then(
    () => say(t('link.copied')),
    (error: unknown) => showFailure(t('failed.copy'), error),
  );
}
