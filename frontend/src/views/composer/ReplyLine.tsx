import { CornerDownRight } from 'lucide-react';
import { t } from '../../i18n';
import type { Wait } from '../../transport/api';
import { oneLine } from '../parts/clean';
import { nameOf } from './useReply';

interface Props {
  wait: Wait;
  onInstead(): void;
}

/** Shows that the text will answer a run that waits for a reply. */
export function ReplyLine({ wait, onInstead }: Props) {
  const name = nameOf(wait);
  return (
    <div className="reply-line" role="status">
      <CornerDownRight size={14} aria-hidden />
      <p>
        <strong>{t('reply.waits', { name })}</strong>{' '}
        <span className="reply-asked">{oneLine(wait.title)}</span>
      </p>
      <button type="button" className="text-button" onClick={onInstead}>
        {t('reply.instead')}
      </button>
    </div>
  );
}
