import { Dialog } from '@base-ui/react/dialog';
import { CornerLeftUp, Folder as FolderIcon } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { t } from '../../i18n';
import { useFolders } from '../../queries/spaces';
import { useLast } from '../../queries/useAnswer';
import { useStore } from '../../state/store';
import { useWeft } from '../../state/weft';
import { oneLine } from '../parts/clean';
import { moveAmong } from '../parts/moveAmong';

interface FolderPickerProps {
  start: string;
  onPick(path: string): void;
  onClose(): void;
}

/**
 * Chooses a folder where there is no native dialog: folder by folder, or by typing its path. By keys: the arrows lead from the path into the
 * list and back, Enter goes to a folder, and once more it chooses it.
 */
export function FolderPicker({ start, onPick, onClose }: FolderPickerProps) {
  const weft = useWeft();
  const home = useStore(weft.server, (state) => state.about.home);
  const [path, setPath] = useState(start);
  const [typed, setTyped] = useState(start);
  const { data, error } = useFolders(path);
  // What was shown stays where another one can't be read.
  const folder = useLast(data) ?? null;
  const [hidden, setHidden] = useState(false);
  useEffect(() => {
    if (data !== undefined) setTyped(data.path);
  }, [data]);
  const names = (folder?.folders ?? []).filter((name) => hidden || !name.startsWith('.'));
  const field = useRef<HTMLInputElement>(null);
  const list = useRef<HTMLUListElement>(null);
  const enter = (next: string) => {
    setPath(next);
    field.current?.focus();
  };
  const join = (name: string) => `${folder?.path === '/' ? '' : (folder?.path ?? '')}/${name}`;
  return (
    <Dialog.Root open onOpenChange={(open) => !open && onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="veil" />
        <Dialog.Popup
          className="dialog folder-dialog"
          onKeyDown={(event) => moveAmong(event, field.current, list.current, '.folder-row')}
          initialFocus={field}
        >
          <Dialog.Title className="dialog-title">{t('folder.title')}</Dialog.Title>
          <form
            className="folder-form"
            onSubmit={(event) => {
              event.preventDefault();
              const wanted = typed.trim().replace(/^~(?=\/|$)/, home);
              if (wanted === data?.path) onPick(wanted);
              else setPath(wanted);
            }}
          >
            <input
              ref={field}
              className="field mono"
              aria-label={t('folder.path')}
              value={typed}
              onChange={(event) => setTyped(event.target.value)}
              spellCheck={false}
            />
            <button type="submit" className="button">
              {t('folder.go')}
            </button>
          </form>
          {error !== null && (
            <p className="field-error" role="alert">
              {error.message}
            </p>
          )}
          <ul ref={list} className="folder-list" aria-label={t('folder.list')}>
            {folder !== null && folder.parent !== '' && folder.parent !== folder.path && (
              <li>
                <button type="button" className="folder-row" onClick={() => enter(folder.parent)}>
                  <CornerLeftUp size={14} aria-hidden />
                  {t('folder.up')}
                </button>
              </li>
            )}
            {names.map((name) => (
              <li key={name}>
                <button type="button" className="folder-row" onClick={() => enter(join(name))}>
                  <FolderIcon size={14} aria-hidden />
                  {oneLine(name)}
                </button>
              </li>
            ))}
            {folder !== null && names.length === 0 && (
              <li className="quiet-text folder-none">{t('folder.none')}</li>
            )}
          </ul>
          <div className="dialog-foot">
            <label className="check">
              <input type="checkbox" checked={hidden} onChange={(event) => setHidden(event.target.checked)} />
              {t('folder.hidden')}
            </label>
            <button type="button" className="button plain" onClick={onClose}>
              {t('cancel')}
            </button>
            <button
              type="button"
              className="button primary"
              disabled={folder === null}
              onClick={() => folder && onPick(folder.path)}
            >
              {t('folder.choose')}
            </button>
          </div>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
