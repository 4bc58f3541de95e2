import { Folder, FolderOpen } from 'lucide-react';
import { useState } from 'react';
import { pickFolder } from '../../commands/spaces';
import { t } from '../../i18n';
import { useActions } from '../../keyboard/actions';
import { recentFolders } from '../../state/folders';
import { showFailure } from '../../state/notify';
import { useStore } from '../../state/store';
import { useWeft } from '../../state/weft';
import { oneLine } from '../parts/clean';
import { shortPath } from '../parts/paths';
import { useRest } from '../shell/later';

interface FolderChoiceProps {
  folder: string;
  /** A folder that can't be opened anymore, so that another one was selected. */
  gone: string | null;
  /** The space gets its own empty folder. */
  none: boolean;
  onPick(folder: string): void;
  onNone(none: boolean): void;
}

/** The folder of a new space, or none. */
export function FolderChoice({ folder, gone, none, onPick, onNone }: FolderChoiceProps) {
  const weft = useWeft();
  const home = useStore(weft.server, (state) => state.about.home);
  const spaces = useStore(weft.server, (state) => state.spaces);
  const [picking, setPicking] = useState(false);
  const rest = useRest();
  const recent = recentFolders(spaces)
    .filter((path) => path !== folder && path !== gone)
    .slice(0, 4);
  const take = (path: string) => {
    onPick(path);
    onNone(false);
  };
  const pick = async () => {
    if (!weft.inWindow) return setPicking(true);
    try {
      const path = await pickFolder(weft, folder);
      if (path !== '') take(path);
    } catch (error) {
      showFailure(t('failed.folder'), error);
    }
  };
  const change = () => (none ? onNone(false) : void pick());
  useActions([
    {
      id: 'newSpace.folder',
      title: t('action.folder'),
      section: t('section.spaces'),
      keys: 'mod+o',
      keywords: ['directory', 'path', 'open'],
      run: change,
    },
  ]);
  return (
    <>
      <div className="folder-choices">
        <button
          type="button"
          className="folder-button"
          data-off={none || undefined}
          onClick={change}
          title={folder}
        >
          <FolderOpen size={16} aria-hidden />
          <span className="mono folder-path truncate">{oneLine(shortPath(folder, home))}</span>
          {folder === home && <span className="folder-note">{t('newSpace.home')}</span>}
          <span className="folder-change">{t(none ? 'newSpace.useFolder' : 'newSpace.change')}</span>
        </button>
        <button type="button" className="folder-button" aria-pressed={none} onClick={() => onNone(!none)}>
          <Folder size={16} aria-hidden />
          {t('newSpace.noFolder')}
        </button>
      </div>
      {gone !== null && !none && (
        <p className="choice-note" role="status">
          {t('newSpace.folderGone', { folder: oneLine(shortPath(gone, home)) })}
        </p>
      )}
      {recent.length > 0 && (
        <ul className="recent" aria-label={t('newSpace.recent')}>
          {recent.map((path) => (
            <li key={path}>
              <button type="button" className="text-button mono" onClick={() => take(path)}>
                {oneLine(shortPath(path, home))}
              </button>
            </li>
          ))}
        </ul>
      )}
      <p className="choice-note">{t(none ? 'newSpace.noFolderNote' : 'newSpace.folderNote')}</p>
      {picking && rest !== null && (
        <rest.FolderPicker
          start={folder}
          onPick={(path) => {
            take(path);
            setPicking(false);
          }}
          onClose={() => setPicking(false)}
        />
      )}
    </>
  );
}
