import { t } from '../../i18n';
import type { Space } from '../../transport/api';
import { oneLine } from './clean';

/** The title of a space on one line, or a placeholder if it has none. */
export function titleOf(space: Space): string {
  return oneLine(space.title) || t('space.untitled');
}
