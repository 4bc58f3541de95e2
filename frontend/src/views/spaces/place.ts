import { t } from '../../i18n';
import type { Space } from '../../transport/api';
import { oneLine } from '../parts/clean';
import { shortPath } from '../parts/paths';

/** The displayed folder of a space, unless Weft created it for the space. */
export function folderName({ folder, noFolder }: Space, home: string): string {
  return noFolder ? t('space.noFolder') : oneLine(shortPath(folder, home));
}

/** The last part of a path: "orchard" of "~/work/orchard". */
export function lastPart(folder: string): string {
  return folder.split(/[\\/]/).findLast((part) => part !== '') ?? folder;
}
