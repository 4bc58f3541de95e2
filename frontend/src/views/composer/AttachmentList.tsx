import { AudioLines, CircleAlert, FileText, Folder, Image, X } from 'lucide-react';
import { t } from '../../i18n';
import type { Attached, Attachments } from '../../state/attachments';
import { useStore } from '../../state/store';
import type { Can } from '../../transport/api';
import { BlobImage } from '../parts/BlobImage';
import { oneLine } from '../parts/clean';
import { bytes } from '../parts/numbers';
import { problemOf } from './useAttachments';
import './attachments.css';

/** The attachments of the next prompt, above the field. Each can be removed. */
export function AttachmentList({
  attachments,
  can,
  agent,
  onRemoved,
}: {
  attachments: Attachments;
  can: Can | null;
  agent: string;
  onRemoved(): void;
}) {
  const list = useStore(attachments.store, (state) => state.list);
  if (list.length === 0) return null;
  return (
    <ul className="attachments" aria-label={t('attach.label')}>
      {list.map((one) => (
        <Chip
          key={one.id}
          one={one}
          problem={problemOf(one, can, agent)}
          onShrink={() => void attachments.shrink(one.id)}
          onRemove={() => {
            attachments.remove(one.id);
            onRemoved();
          }}
        />
      ))}
    </ul>
  );
}

function Chip({
  one,
  problem,
  onShrink,
  onRemove,
}: {
  one: Attached;
  problem: string;
  onShrink(): void;
  onRemove(): void;
}) {
  const name = oneLine(one.name);
  return (
    <li className="attachment" data-status={one.status} data-problem={problem !== ''}>
      {one.preview !== null && one.status !== 'failed' ? (
        <BlobImage className="attachment-thumb" src={one.preview} alt="" />
      ) : (
        <span className="attachment-icon">
          <AttachmentIcon one={one} problem={problem} />
        </span>
      )}
      <span className="attachment-text">
        <span className="attachment-name truncate" title={name}>
          {name}
        </span>
        {problem !== '' ? (
          <span className="attachment-problem" role="alert">
            {oneLine(problem)}
          </span>
        ) : (
          <span className="attachment-note tabular">
            {one.status === 'uploading'
              ? t('attach.reading')
              : one.size > 0
                ? bytes(one.size)
                : t('attach.inFolder')}
          </span>
        )}
      </span>
      {one.status === 'large' && (
        <button type="button" className="text-button" onClick={onShrink}>
          {t('attach.shrink')}
        </button>
      )}
      <button
        type="button"
        className="icon-button quiet"
        aria-label={t('attach.remove', { name })}
        title={t('attach.remove', { name })}
        onClick={onRemove}
      >
        <X size={14} aria-hidden />
      </button>
    </li>
  );
}

function AttachmentIcon({ one, problem }: { one: Attached; problem: string }) {
  if (problem !== '') return <CircleAlert size={16} aria-hidden />;
  if (one.kind === 'image') return <Image size={16} aria-hidden />;
  if (one.kind === 'audio') return <AudioLines size={16} aria-hidden />;
  if (one.part !== null && 'path' in one.part && one.part.path.endsWith('/'))
    return <Folder size={16} aria-hidden />;
  return <FileText size={16} aria-hidden />;
}
