import { Paperclip } from 'lucide-react';
import type { RefObject } from 'react';
import { t } from '../../i18n';
import type { Attachments } from '../../state/attachments';
import { attach } from './useAttachments';

interface AttachButtonProps {
  attachments: Attachments;
  /** The file input, so that a command can open it, too. */
  picker: RefObject<HTMLInputElement | null>;
  onAttached(): void;
}

/** Opens the file picker for attachments. */
export function AttachButton({ attachments, picker, onAttached }: AttachButtonProps) {
  return (
    <>
      <input
        ref={picker}
        type="file"
        multiple
        hidden
        onChange={(event) => {
          attach(attachments, [...(event.currentTarget.files ?? [])]);
          event.currentTarget.value = '';
          onAttached();
        }}
      />
      <button
        type="button"
        className="icon-button quiet attach-button"
        aria-label={t('attach.button')}
        title={t('attach.button')}
        onClick={() => picker.current?.click()}
      >
        <Paperclip size={15} aria-hidden />
      </button>
    </>
  );
}
