import { FileDiff, FileInput, GitBranch, PanelLeft } from 'lucide-react';
import { useCallback, useState } from 'react';
import { renameSpace } from '../../commands/spaces';
import { t } from '../../i18n';
import { joinFacts } from '../../i18n/formats';
import { isShared } from '../../state/members';
import type { Session } from '../../state/session';
import { useStore } from '../../state/store';
import { useWeft } from '../../state/weft';
import { MonogramStack } from '../members/MonogramStack';
import { oneLine } from '../parts/clean';
import { count } from '../parts/numbers';
import { returnFocus } from '../parts/returnFocus';
import { titleOf } from '../parts/spaceTitle';
import { Tooltip } from '../parts/Tooltip';
import { useRest } from '../shell/later';
import { folderName, lastPart } from './place';
import './worktree.css';

/** The title of the space and its panels. */
export function SpaceHeader({ session }: { session: Session }) {
  const weft = useWeft();
  const listed = useStore(weft.server, ({ spaces }) => spaces.find(({ id }) => id === session.spaceId));
  const opened = useStore(session.store, (state) => state.space);
  const home = useStore(weft.server, (state) => state.about.home);
  const space = listed ?? opened;
  const [renaming, setRenaming] = useState('');
  const { spaceId } = session;
  const rename = useCallback(() => setRenaming(spaceId), [spaceId]);
  const rest = useRest();
  return (
    <header className="space-header">
      <SidebarButton />
      {space !== null && (
        <>
          <Title
            key={space.id}
            title={space.title}
            shown={titleOf(space)}
            editing={renaming === space.id}
            onEdit={(editing) => setRenaming(editing ? space.id : '')}
            onRename={(title) => void renameSpace(weft, space.id, title)}
          />
          {isShared(space) ? (
            <button
              type="button"
              className="space-agent"
              aria-label={t('members.badge', { count: space.members.length })}
              title={joinFacts(space.members.map(({ name }) => oneLine(name)))}
              onClick={() => weft.togglePanel('members')}
            >
              <MonogramStack members={space.members} />
            </button>
          ) : (
            <button
              type="button"
              className="space-agent"
              title={t('action.agentSettings')}
              onClick={() => weft.showAgent(space.agentId)}
            >
              {oneLine(space.agentName)}
            </button>
          )}
          {space.worktree !== null && (
            <button
              type="button"
              className="space-branch mono"
              title={t('worktree.about', { path: oneLine(space.worktree.path) })}
              aria-label={t('worktree.button', { branch: oneLine(space.worktree.branch) })}
              onClick={() => weft.dialogs.set({ worktree: { id: space.worktree?.id ?? '', next: null } })}
            >
              <GitBranch size={13} aria-hidden />
              <span>{oneLine(space.worktree.branch)}</span>
            </button>
          )}
          <span className={space.noFolder ? 'space-folder' : 'space-folder mono'} title={space.folder}>
            {lastPart(folderName(space, home))}
          </span>
          {space.importedFrom !== '' && (
            <span className="space-source" title={t('import.from', { program: space.importedFrom })}>
              <FileInput size={13} aria-hidden />
              <span>{t('import.from', { program: space.importedFrom })}</span>
            </span>
          )}
        </>
      )}
      <span className="grow" />
      {rest !== null && <rest.SpaceServers session={session} />}
      <ChangesButton spaceId={session.spaceId} />
      {rest !== null && space !== null && <rest.PanelsMenu space={space} onRename={rename} />}
    </header>
  );
}

/** Number of files to review; opens them. */
function ChangesButton({ spaceId }: { spaceId: string }) {
  const weft = useWeft();
  const open = useStore(weft.shown, (state) => state.panel === 'changes');
  const files = useStore(weft.server, (state) => state.changes[spaceId]?.files ?? 0);
  return (
    <Tooltip label={t('action.changes')} keys="mod+shift+r">
      <button
        type="button"
        className="button quiet changes-button"
        aria-label={files === 0 ? t('action.changes') : t('changes.badge', { count: files })}
        aria-pressed={open}
        data-some={files > 0 || undefined}
        onClick={() => weft.togglePanel('changes')}
      >
        <FileDiff size={16} aria-hidden />
        <span className="changes-label">{t('changes.title')}</span>
        {files > 0 && <span className="tabular">{count(files)}</span>}
      </button>
    </Tooltip>
  );
}

/** Shows the hidden sidebar, or opens it as a drawer in a narrow window. */
export function SidebarButton() {
  const weft = useWeft();
  const open = useStore(weft.shown, (state) => state.sidebarOpen);
  return (
    <button
      type="button"
      className="icon-button sidebar-button"
      data-toggles="sidebar"
      data-open={open}
      aria-label={t('action.toggleSidebar')}
      title={t('action.toggleSidebar')}
      onClick={() => weft.toggleSidebar()}
    >
      <PanelLeft size={16} aria-hidden />
    </button>
  );
}

interface TitleProps {
  title: string;
  shown: string;
  editing: boolean;
  onEdit(editing: boolean): void;
  onRename(title: string): void;
}

function Title({ title, shown, editing, onEdit, onRename }: TitleProps) {
  if (editing) return <TitleField title={title} onDone={() => onEdit(false)} onRename={onRename} />;
  return (
    <h1 className="space-heading" dir="auto">
      <button type="button" title={t('space.rename')} onClick={() => onEdit(true)}>
        {shown}
      </button>
    </h1>
  );
}

interface TitleFieldProps {
  title: string;
  onDone(): void;
  onRename(title: string): void;
}

function TitleField({ title, onDone, onRename }: TitleFieldProps) {
  const [text, setText] = useState(title);
  const close = () => {
    onDone();
    returnFocus(() => document.querySelector('.space-heading button'));
  };
  const save = () => {
    const changed = text.trim();
    if (changed !== '' && changed !== title) onRename(changed);
    close();
  };
  return (
    <input
      className="space-heading-field"
      dir="auto"
      aria-label={t('space.rename')}
      value={text}
      // biome-ignore lint/a11y/noAutofocus: the user just asked to rename it
      autoFocus
      onFocus={(event) => event.target.select()}
      onChange={(event) => setText(event.target.value)}
      onBlur={save}
      onKeyDown={(event) => {
        if (event.key === 'Enter') save();
        if (event.key === 'Escape') {
          event.stopPropagation();
          close();
        }
      }}
    />
  );
}
