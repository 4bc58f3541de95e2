import { AudioLines, FileText, Folder } from 'lucide-react';
import { useState } from 'react';
import { blobUrl } from '../../commands/blobs';
import { t } from '../../i18n';
import type { Message } from '../../transcript/model';
import type { Content } from '../../transcript/types';
import { BlobImage } from '../parts/BlobImage';
import { oneLine } from '../parts/clean';
import { bytes } from '../parts/numbers';
import { withoutTail } from '../parts/tail';
import { FileLink } from '../places/FileLink';
import { useReading } from './reading';
import './message-attachments.css';

const images = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];

/** The attachments of a prompt: images as thumbnails, everything else by name. */
export function MessageAttachments({ message }: { message: Message }) {
  const contents = message.segments.flatMap((segment) =>
    segment.type === 'display' ? [segment.display] : [],
  );
  if (contents.length === 0) return null;
  return (
    <ul className="message-attachments" aria-label={t('prompt.along')}>
      {contents.map((content, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a prompt do not change
        <li key={i}>
          <One id={`${message.id}:${i}`} content={content} />
        </li>
      ))}
    </ul>
  );
}

function One({ id, content }: { id: string; content: Content }) {
  const { hold, disclosures, session } = useReading();
  const [large, setLarge] = useState(disclosures.get(id) ?? false);
  const name = nameOf(content);
  if (content.type === 'image' && content.ref !== undefined && images.includes(content.mimeType ?? '')) {
    const label = t(large ? 'prompt.smaller' : 'prompt.larger', { name: name || t('prompt.image') });
    return (
      <button
        type="button"
        className="message-image"
        data-large={large}
        aria-expanded={large}
        aria-label={label}
        title={name}
        onClick={() => {
          hold();
          disclosures.set(id, !large);
          setLarge(!large);
        }}
      >
        <BlobImage src={blobUrl(content.ref)} alt={name || t('prompt.image')} loading="lazy" />
      </button>
    );
  }
  const Icon =
    content.type === 'audio' ? AudioLines : content.path?.endsWith('/') === true ? Folder : FileText;
  return (
    <span className="message-file" title={name}>
      <Icon size={14} aria-hidden />
      <FileLink
        className="message-file-name truncate"
        spaceId={session.spaceId}
        address={content.path ?? (content.ref === undefined ? (content.uri ?? '') : '')}
      >
        {name}
      </FileLink>
      {content.ref !== undefined && (
        <span className="message-file-size tabular">{bytes(content.ref.size)}</span>
      )}
    </span>
  );
}

export function nameOf({ path, name, uri, mimeType, type }: Content): string {
  const last = uri === undefined ? undefined : withoutTail(uri, '/').split('/').at(-1);
  return oneLine(path ?? name ?? (last === undefined ? (mimeType ?? type) : decoded(last)));
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
