import { t } from '../../i18n';
import type { Space } from '../../transport/api';
import { oneLine } from '../parts/clean';
import { shortPath } from '../parts/paths';

/** Where a space works, as it is told: its folder, unless that is one that Weft has made for it. */
export function folderName({ folder, noFolder }: Space, home: string): string {
  return noFolder ? t('space.noFolder') : oneLine(shortPath(folder, home));
}

/** The name of a folder alone: "orchard" of "~/work/orchard". */
export function lastPart(folder: string): string {
  return folder.split(/[\\/]/).findLast((part) => part !== '') ?? folder;
}
