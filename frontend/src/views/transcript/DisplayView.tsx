import { FileText } from 'lucide-react';
import { blobUrl } from '../../commands/blobs';
import { t } from '../../i18n';
import { LongText } from '../../markdown';
import type { Content } from '../../transcript/types';
import { BlobImage } from '../parts/BlobImage';
import { oneLine } from '../parts/clean';
import { bytes } from '../parts/numbers';
import { FileLink } from '../places/FileLink';
import { useReading } from './reading';

const images = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];

/** Content that is neither text nor a tool call. */
export function DisplayView({ content }: { content: Content }) {
  const { session } = useReading();
  const name = oneLine(content.name ?? content.uri ?? content.mimeType ?? content.type);
  if (content.type === 'image' && content.ref !== undefined && images.includes(content.mimeType ?? '')) {
    return (
      <BlobImage
        className="shown-image"
        src={blobUrl(content.ref)}
        alt={content.name ?? t('display.image')}
        loading="lazy"
      />
    );
  }
  return (
    <div className="resource">
      <FileText size={16} aria-hidden />
      <FileLink
        className="resource-name"
        spaceId={session.spaceId}
        address={content.path ?? content.uri ?? ''}
      >
        {name}
      </FileLink>
      <span className="quiet-text">
        {oneLine(content.type.replace('_', ' '))}
        {content.ref === undefined ? '' : ` · ${bytes(content.ref.size)}`}
      </span>
      {content.text !== undefined && content.text !== '' && (
        <pre className="code-box">
          <LongText text={content.text} />
        </pre>
      )}
    </div>
  );
}
