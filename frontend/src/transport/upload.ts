import { t } from '../i18n';
import type { Attachment } from './api';
import { sendFile } from './sendFile';
import { CommandError } from './transport';

/** Uploads the bytes of a file. */
export async function upload(spaceId: string, name: string, data: Blob): Promise<Attachment> {
  const { answer, size } = await sendFile<Attachment>(
    `/api/spaces/${encodeURIComponent(spaceId)}/uploads`,
    name,
    data,
  );
  // A truncated upload must not be sent.
  if (answer.size !== size) throw new CommandError('incomplete', t('transport.incomplete', { name }));
  return answer;
}
