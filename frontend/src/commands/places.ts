import { t } from '../i18n';
import { copyText } from '../markdown/copyText';
import { say, showFailure, showFailureWithAction } from '../state/notify';
import type { FilePlace } from '../state/shown';
import type { Weft } from '../state/weft';
import { asCommandError } from '../transport/transport';

// Commands for file locations: where an agent worked, or what a message mentions.

/** Opens a location in the user's editor, on the machine that runs Weft. */
export async function openInEditor(weft: Weft, spaceId: string, place: FilePlace): Promise<void> {
  try {
    await weft.transport.call('OpenInEditor', { spaceId, ...place });
  } catch (error) {
    const { code, message } = asCommandError(error);
    if (code === 'editor_missing' || code === 'editor_failed')
      showFailureWithAction(message, t('places.chooseEditor'), () => weft.showEditor());
    else showFailure(t('failed.openEditor'), error);
  }
}

/** Copies a path, or a path and a line. */
export async function copyPlace(text: string): Promise<void> {
  try {
    await copyText(text);
    say(t('copied'));
  } catch (error) {
    showFailure(t('failed.copyPath'), error);
  }
}

/** Reports which of the paths are files of a space. */
export async function filesExist(weft: Weft, spaceId: string, paths: readonly string[]) {
  const { paths: found } = await weft.transport.call('FilesExist', { spaceId, paths: [...paths] });
  return new Set(found ?? []);
}

/** Returns the URL of an image file of a space. */
export async function spaceImage(weft: Weft, spaceId: string, path: string): Promise<string> {
  const { type, data } = await weft.transport.call('ReadSpaceImage', { spaceId, path });
  return `data:${type};base64,${data}`;
}
