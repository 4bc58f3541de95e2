import { Dialog } from '@base-ui/react/dialog';
import { CornerLeftUp, Folder as FolderIcon, History } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { t } from '../../i18n';
import { useFolders } from '../../queries/spaces';
import { useLatest } from '../../queries/useBackendQuery';
import { recentFolders } from '../../state/folders';
import { useStore } from '../../state/store';
import { useWeft } from '../../state/weft';
import { oneLine } from '../parts/clean';
import { moveThroughRows } from '../parts/moveThroughRows';
import { shortPath } from '../parts/paths';

interface FolderPickerProps {
  start: string;
  onPick(path: string): void;
  onClose(): void;
}

/** Most recent folders offered. */
const mostRecent = 5;

/**
 * Picks a folder where there is no native dialog: by browsing, or by typing its path, which filters the list. With the
 * keyboard, arrows move between path and list, Enter opens a folder, and another Enter picks it.
 */
export function FolderPicker({ start, onPick, onClose }: FolderPickerProps) {
  const weft = useWeft();
  const home = useStore(weft.server, (state) => state.about.home);
  const [path, setPath] = useState(start);
  const [typed, setTyped] = useState(start);
  const { data, error } = useFolders(path);
  // If another folder can't be read, the previous one stays.
  const folder = useLatest(data) ?? null;
  const [hidden, setHidden] = useState(false);
  const spaces = useStore(weft.server, (state) => state.spaces);
  // The path shown is the canonical one, unless the user is typing another.
  const edited = useRef(false);
  useEffect(() => {
    if (data !== undefined && !edited.current) setTyped(data.path);
  }, [data]);
  const full = (text: string) => text.trim().replace(/^~(?=\/|$)/, home);
  const wanted = full(typed);
  const { parent, piece } = splitPath(wanted, folder?.path ?? '');
  const filter = edited.current && parent === folder?.path ? piece.toLowerCase() : '';
  const names = (folder?.folders ?? []).filter(
    (name) =>
      (hidden || !name.startsWith('.') || filter.startsWith('.')) && name.toLowerCase().includes(filter),
  );
  const recent = recentFolders(spaces)
    .filter(
      (one) => one !== folder?.path && (!edited.current || one.toLowerCase().includes(wanted.toLowerCase())),
    )
    .slice(0, mostRecent);
  const field = useRef<HTMLInputElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const go = (next: string) => {
    edited.current = false;
    setPath(next);
    if (next === data?.path) setTyped(next);
  };
  const enter = (next: string) => {
    go(next);
    field.current?.focus();
  };
  const join = (name: string) => `${folder?.path === '/' ? '' : (folder?.path ?? '')}/${name}`;
  const type = (text: string) => {
    edited.current = true;
    setTyped(text);
    const next = full(text);
    // Lists the folder as soon as its path has been typed.
    if (next.startsWith('/')) setPath(splitPath(next, '').parent);
  };
  const exact = piece !== '' && parent === folder?.path && (folder?.folders ?? []).includes(piece);
  const submit = () => {
    if (wanted === data?.path) return onPick(wanted);
    const [first] = names;
    if (filter !== '' && !exact && first !== undefined) return go(join(first));
    go(exact ? join(piece) : wanted);
  };
  return (
    <Dialog.Root open onOpenChange={(open) => !open && onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="backdrop" />
        <Dialog.Popup
          className="dialog folder-dialog"
          onKeyDown={(event) => moveThroughRows(event, field.current, list.current, '.folder-row')}
          initialFocus={field}
        >
          <Dialog.Title className="dialog-title">{t('folder.title')}</Dialog.Title>
          <form
            className="folder-form"
            onSubmit={(event) => {
              event.preventDefault();
              submit();
            }}
          >
            <input
              ref={field}
              className="field mono"
              aria-label={t('folder.path')}
              value={typed}
              onChange={(event) => type(event.target.value)}
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
          <div ref={list} className="folder-lists">
            {recent.length > 0 && (
              <>
                <h3 className="folder-heading">{t('newSpace.recent')}</h3>
                <ul className="folder-recent" aria-label={t('newSpace.recent')}>
                  {recent.map((one) => (
                    <li key={one}>
                      <button type="button" className="folder-row mono" onClick={() => enter(one)}>
                        <History size={14} aria-hidden />
                        {oneLine(shortPath(one, home))}
                      </button>
                    </li>
                  ))}
                </ul>
              </>
            )}
            <ul className="folder-list" aria-label={t('folder.list')}>
              {folder !== null && filter === '' && folder.parent !== '' && folder.parent !== folder.path && (
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
                <li className="quiet-text folder-none">
                  {t(filter === '' ? 'folder.none' : 'folder.noMatch')}
                </li>
              )}
            </ul>
          </div>
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
              onClick={() => folder && onPick(exact ? join(piece) : folder.path)}
            >
              {t('folder.choose')}
            </button>
          </div>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

/**
 * Splits a path into the folder and the beginning of a name in it. Without a slash, it is a name in the current folder.
 */
function splitPath(path: string, shown: string): { parent: string; piece: string } {
  const at = path.lastIndexOf('/');
  if (at < 0) return { parent: shown, piece: path };
  return { parent: path.slice(0, at) || '/', piece: path.slice(at + 1) };
}
