import { Check, ChevronRight, GitBranch, Import, PencilLine, Pin } from 'lucide-react';
import { memo, useState } from 'react';
import { t } from '../../i18n';
import { joinFacts } from '../../i18n/formats';
import { hasRequest, type Mark, markOf } from '../../state/branches';
import { isShared } from '../../state/members';
import { useStore } from '../../state/store';
import { useWeft } from '../../state/weft';
import type { Space } from '../../transport/api';
import { MonogramStack } from '../members/MonogramStack';
import { oneLine } from '../parts/clean';
import { ago, count, exact } from '../parts/numbers';
import { lastName } from '../parts/paths';
import { titleOf } from '../parts/spaceTitle';
import { useMinutes } from '../parts/useNow';
import { useRest } from '../shell/later';
import { wantRequest } from '../tools/requests';
import { RenameField } from './RenameField';
import { StateMark } from './StateMark';
import { TagDots } from './TagDots';

interface SpaceRowProps {
  space: Space;
  chosen: boolean;
  /** It is listed below the space it branched from. */
  nested?: boolean;
  mark?: Mark;
  /** Number of its branches, listed below it while they are shown. */
  branches?: number;
  /** The hidden branch with the request that the mark shows. */
  asks?: string;
  open?: boolean;
  onToggle?: (tree: string, open: boolean) => void;
  /** It is in the group of its project, so the row needn't name the project. */
  inProject?: boolean;
  /** It is pinned but outside of the pinned group. */
  pinned?: boolean;
  /** It is one of the selected spaces. */
  picked?: boolean;
  /** There is a selection. */
  picking?: boolean;
  tabIndex?: number;
}

/** A space in the sidebar: title, agents, time, and whether it needs the user. */
export const SpaceRow = memo(function SpaceRow({
  space,
  chosen,
  nested = false,
  mark = markOf(space),
  branches = 0,
  open = false,
  asks = '',
  onToggle,
  inProject = false,
  pinned = false,
  picked = false,
  picking = false,
  tabIndex = 0,
}: SpaceRowProps) {
  const weft = useWeft();
  const renaming = useStore(weft.shown, (state) => state.renaming === space.id);
  const now = useMinutes();
  const rest = useRest();
  const title = titleOf(space);
  const place = placeOf(space, inProject);
  const shared = isShared(space);
  // Only the row under the pointer or focus renders its actions.
  const [near, setNear] = useState(false);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the buttons inside are interactive
    <div
      className="space"
      data-chosen={chosen}
      data-mark={mark}
      data-nested={nested || undefined}
      data-picked={picked || undefined}
      onPointerEnter={() => setNear(true)}
      onFocus={() => setNear(true)}
    >
      {renaming ? (
        <RenameField space={space} onDone={() => weft.shown.set({ renaming: null })} />
      ) : (
        <button
          type="button"
          className="space-button"
          tabIndex={tabIndex}
          aria-current={chosen ? 'page' : undefined}
          title={[title, whereOf(space), exact(space.lastActivity)].join('\n')}
          onClick={() => {
            const id = asks || space.id;
            if (asks !== '' || hasRequest(space)) wantRequest(id);
            weft.select(id);
          }}
          onDoubleClick={() => weft.shown.set({ renaming: space.id })}
        >
          {picking ? (
            <span className="space-pick" data-picked={picked || undefined}>
              {picked && (
                <>
                  <Check size={11} strokeWidth={3} aria-hidden />
                  <span className="visually-hidden">{t('list.isPicked')}</span>
                </>
              )}
            </span>
          ) : (
            <StateMark state={mark} />
          )}
          <span dir="auto" className="space-title truncate">
            {title}
          </span>
          <span className="space-aside">
            {shared && (
              <>
                <MonogramStack members={space.members} />
                <span className="visually-hidden">
                  {joinFacts(space.members.map(({ name }) => oneLine(name)))}
                </span>
              </>
            )}
            {place !== '' && <span className="space-place truncate">{place}</span>}
            <TagDots ids={space.tags} />
            {(space.madeBy === 'import' || space.importedFrom !== '') && (
              <Sign
                of={Import}
                label={
                  space.importedFrom === ''
                    ? t('list.imported')
                    : t('import.from', { program: oneLine(space.importedFrom) })
                }
              />
            )}
            {pinned && <Sign of={Pin} label={t('list.isPinned')} />}
            {space.draft && !chosen && <Sign of={PencilLine} label={t('list.draft')} />}
            {/* A running space shows no time. */}
            <time className="space-time tabular" dateTime={new Date(space.lastActivity).toISOString()}>
              {mark !== 'running' && ago(space.lastActivity, now)}
            </time>
          </span>
        </button>
      )}
      {branches > 0 && !renaming && (
        <button
          type="button"
          className="space-branches tabular"
          tabIndex={tabIndex}
          aria-expanded={open}
          aria-label={t('branches.below', { count: branches, title })}
          title={t('branches.below', { count: branches, title })}
          onClick={() => onToggle?.(space.treeId, !open)}
        >
          <GitBranch size={12} aria-hidden />
          {count(branches)}
          <ChevronRight className="space-chevron" size={12} aria-hidden />
        </button>
      )}
      {rest !== null && !picking && (near || chosen) && (
        <rest.SpaceMenu space={space} title={title} tabIndex={tabIndex} />
      )}
    </div>
  );
});

function Sign({ of: Icon, label }: { of: typeof Pin; label: string }) {
  return (
    <span className="space-sign" title={label}>
      <Icon size={12} aria-hidden />
      <span className="visually-hidden">{label}</span>
    </span>
  );
}

/** The members of a space, and its folder. */
function whereOf({ members, agentName, folder, noFolder }: Space): string {
  const names = members.length > 1 ? members.map(({ name }) => name) : [agentName];
  return `${joinFacts(names.map(oneLine))} · ${noFolder ? t('space.noFolder') : oneLine(folder)}`;
}

/**
 * The location of a space in a word: its folder, or the repository and branch of its worktree. In the group of its
 * project, only what the group doesn't say.
 */
function placeOf({ folder, noFolder, worktree, project }: Space, inProject: boolean): string {
  if (noFolder) return inProject ? '' : t('space.noFolder');
  if (worktree !== null) {
    return oneLine(inProject ? worktree.branch : `${lastName(worktree.repository)} · ${worktree.branch}`);
  }
  if (!inProject) return oneLine(lastName(folder));
  return folder.startsWith(`${project}/`) ? oneLine(folder.slice(project.length + 1)) : '';
}
