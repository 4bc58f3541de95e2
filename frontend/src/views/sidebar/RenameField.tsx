import { useRef, useState } from 'react';
import { renameSpace } from '../../commands/spaces';
import { t } from '../../i18n';
import { useWeft } from '../../state/weft';
import type { Space } from '../../transport/api';
import { returnFocus } from '../parts/returnFocus';

/** The field for renaming a space, in place of its title. */
export function RenameField({ space, onDone }: { space: Space; onDone(): void }) {
  const weft = useWeft();
  const [text, setText] = useState(space.title);
  const left = useRef(false);
  const field = useRef<HTMLInputElement>(null);
  const done = (save: boolean) => {
    if (left.current) return;
    left.current = true;
    const row = field.current?.closest('li');
    returnFocus(() => row?.querySelector('.space-button'));
    onDone();
    const title = text.trim();
    if (save && title !== '' && title !== space.title) void renameSpace(weft, space.id, title);
  };
  return (
    <input
      ref={field}
      className="space-rename"
      dir="auto"
      aria-label={t('space.rename')}
      value={text}
      // biome-ignore lint/a11y/noAutofocus: the user just asked to rename it
      autoFocus
      onFocus={(event) => event.target.select()}
      onChange={(event) => setText(event.target.value)}
      onBlur={() => done(true)}
      onKeyDown={(event) => {
        if (event.key === 'Enter') done(true);
        if (event.key === 'Escape') {
          event.stopPropagation();
          done(false);
        }
      }}
    />
  );
}
