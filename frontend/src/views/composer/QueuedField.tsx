import { useState } from 'react';
import { t } from '../../i18n';

interface QueuedFieldProps {
  text: string;
  onSave(text: string): void;
  onCancel(): void;
}

/** The text of a prompt that waits, while it is edited. */
export function QueuedField({ text: before, onSave, onCancel }: QueuedFieldProps) {
  const [text, setText] = useState(before);
  return (
    <textarea
      className="queued-field"
      aria-label={t('queue.edit')}
      value={text}
      rows={Math.min(6, text.split('\n').length)}
      // biome-ignore lint/a11y/noAutofocus: the user has just asked to edit it
      autoFocus
      onChange={(event) => setText(event.target.value)}
      onBlur={() => onSave(text)}
      onKeyDown={(event) => {
        if (event.key === 'Enter' && !event.shiftKey) {
          event.preventDefault();
          onSave(text);
        } else if (event.key === 'Escape') {
          event.stopPropagation();
          onCancel();
        }
      }}
    />
  );
}
