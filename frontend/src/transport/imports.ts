import type { ImportReport } from './api';
import { sendFile } from './sendFile';

export type { ImportedConversation, ImportReport } from './api';

/** Creates spaces from the conversations in a file. */
export async function importFile(name: string, data: Blob): Promise<ImportReport> {
  return (await sendFile<ImportReport>('/api/imports', name, data)).answer;
}
