import { useEffect, useRef, useState } from 'react';
import { t } from '../../i18n';

interface QueuedFieldProps {
  text: string;
  onSave(text: string): void;
  onCancel(): void;
}

/** The field for editing a queued prompt. */
export function QueuedField({ text: before, onSave, onCancel }: QueuedFieldProps) {
  const [text, setText] = useState(before);
  const over = useRef(false);
  const save = () => {
    if (over.current) return;
    over.current = true;
    onSave(text);
  };
  // A field that is removed with its space gets no blur event first.
  const goes = useRef(() => {});
  useEffect(() => {
    goes.current = text === before ? () => {} : save;
  });
  useEffect(() => () => goes.current(), []);
  return (
    <textarea
      dir="auto"
      className="queued-field"
      aria-label={t('queue.edit')}
      value={text}
      rows={Math.min(6, text.split('\n').length)}
      // biome-ignore lint/a11y/noAutofocus: the user just asked to edit it
      autoFocus
      onChange={(event) => setText(event.target.value)}
      onBlur={save}
      onKeyDown={(event) => {
        if (event.key === 'Enter' && !event.shiftKey) {
          event.preventDefault();
          save();
        } else if (event.key === 'Escape') {
          event.stopPropagation();
          over.current = true;
          onCancel();
        }
      }}
    />
  );
}
