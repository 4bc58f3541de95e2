import { sendFile } from './sendFile';

/** What has become of a file of conversations. */
export interface ImportReport {
  file: string;
  conversations: ImportedConversation[];
  imported: number;
  known: number;
  refused: number;
}

export interface ImportedConversation {
  state: 'imported' | 'known' | 'refused';
  title: string;
  /** Empty where there is none. */
  spaceId: string;
  line: number;
  messages: number;
  notes: string[];
  faults: { line: number; place: string; message: string }[];
}

/** Makes spaces of the conversations in a file. */
export async function importFile(name: string, data: Blob): Promise<ImportReport> {
  return (await sendFile<ImportReport>('/api/imports', name, data)).answer;
}
