import { t } from '../../i18n';
import type { Json, Ref } from '../../transcript/types';
import { AnsiText } from './AnsiText';
import { BlobText, useBlobText } from './BlobText';
import type { Command } from './command';
import { printed, withoutEcho } from './output';

/** A larger result is not loaded as a whole. */
const most = 4 << 20;

/** The large result of a command: its output, from its end. */
export function OutputBlob({ blob, command }: { blob: Ref; command: Command }) {
  return blob.size > most ? <BlobText blob={blob} /> : <Whole blob={blob} command={command} />;
}

function Whole({ blob, command }: { blob: Ref; command: Command }) {
  const { text, failed } = useBlobText(blob, most);
  if (failed) return <p className="quiet-text">{t('tool.blobFailed')}</p>;
  if (text === null) return <p className="quiet-text delayed">{t('loading')}</p>;
  const output = read(text);
  return output === null ? <BlobText blob={blob} /> : <AnsiText text={withoutEcho(output, command)} atEnd />;
}

function read(text: string): string | null {
  try {
    return printed(JSON.parse(text) as Json);
  } catch {
    return null;
  }
}
