import { withSession } from './page';
import { CommandError } from './transport';

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

/** Makes spaces of the conversations in a file; the window and serve mode take it at the same address. */
export async function importFile(name: string, data: Blob): Promise<ImportReport> {
  let bytes: ArrayBuffer;
  try {
    bytes = await data.arrayBuffer();
  } catch {
    throw new CommandError('unreadable', `${name} cannot be read any more.`);
  }
  let response: Response;
  try {
    response = await fetch(
      `/api/imports?name=${encodeURIComponent(name)}`,
      withSession({
        method: 'POST',
        headers: { 'Content-Type': 'application/octet-stream' },
        body: bytes,
      }),
    );
  } catch {
    throw new CommandError('offline', 'Weft does not answer.');
  }
  const answer = (await response.json().catch(() => null)) as
    | (ImportReport & { code?: string; message?: string })
    | null;
  if (!response.ok || answer === null)
    throw new CommandError(answer?.code ?? 'unknown', answer?.message ?? `Weft answered ${response.status}.`);
  return answer;
}
