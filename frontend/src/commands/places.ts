import { t } from '../i18n';
import { copyText } from '../markdown/copyText';
import { say, sayFailed, sayFailedWithAction } from '../state/notify';
import type { FilePlace } from '../state/shown';
import type { Weft } from '../state/weft';
import { asCommandError } from '../transport/transport';

// Places in files: where an agent has been, or what an answer names.

/** Opens a place in the user's editor, on the machine that Weft runs on. */
export async function openInEditor(weft: Weft, spaceId: string, place: FilePlace): Promise<void> {
  try {
    await weft.transport.call('OpenInEditor', { spaceId, ...place });
  } catch (error) {
    const { code, message } = asCommandError(error);
    if (code === 'editor_missing' || code === 'editor_failed')
      sayFailedWithAction(message, t('places.chooseEditor'), () => weft.showEditor());
    else sayFailed(t('failed.openEditor'), error);
  }
}

/** Copies a path, or a path and a line. */
export async function copyPlace(text: string): Promise<void> {
  try {
    await copyText(text);
    say(t('copied'));
  } catch (error) {
    sayFailed(t('failed.copyPath'), error);
  }
}

/** Which of the paths are files of a space. */
export async function filesExist(weft: Weft, spaceId: string, paths: readonly string[]) {
  const { paths: found } = await weft.transport.call('FilesExist', { spaceId, paths: [...paths] });
  return new Set(found ?? []);
}

/** The address of a picture in a file of a space. */
export async function spaceImage(weft: Weft, spaceId: string, path: string): Promise<string> {
  const { type, data } = await weft.transport.call('ReadSpaceImage', { spaceId, path });
  return `data:${type};base64,${data}`;
}
