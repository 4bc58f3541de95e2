import { ChevronRight, GitBranch } from 'lucide-react';
import { memo } from 'react';
import { removeSpace } from '../../commands/spaces';
import { t } from '../../i18n';
import { type Mark, markOf } from '../../state/branches';
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
import { Rename } from './Rename';
import { StateMark } from './StateMark';

/** A space in the sidebar: what it is, whose, when, and whether it needs something. */
export const SpaceRow = memo(function SpaceRow({
  space,
  chosen,
  nested = false,
  mark = markOf(space),
  tree,
}: {
  space: Space;
  chosen: boolean;
  /** It is below what it branched from. */
  nested?: boolean;
  mark?: Mark;
  /** It has branches, which are below it while they are shown. */
  tree?: { open: boolean; branches: number; toggle(open: boolean): void } | undefined;
}) {
  const weft = useWeft();
  const renaming = useStore(weft.shown, (state) => state.renaming === space.id);
  const now = useMinutes();
  const rest = useRest();
  const title = titleOf(space);
  return (
    <li className="space" data-chosen={chosen} data-state={space.state} data-nested={nested || undefined}>
      {renaming ? (
        <Rename space={space} onDone={() => weft.shown.set({ renaming: null })} />
      ) : (
        <button
          type="button"
          className="space-button"
          aria-current={chosen ? 'page' : undefined}
          onClick={() => weft.select(space.id)}
          onDoubleClick={() => weft.shown.set({ renaming: space.id })}
          onKeyDown={(event) => {
            if (event.key === 'F2') weft.shown.set({ renaming: space.id });
            if (event.key === 'Delete') void removeSpace(weft, space);
            if (event.key === 'ArrowRight') tree?.toggle(true);
            if (event.key === 'ArrowLeft') tree?.toggle(false);
          }}
        >
          <StateMark state={mark} />
          <span className="space-title">{title}</span>
          <span className="space-sub">
            {isShared(space) ? (
              <>
                <MonogramStack members={space.members} />
                <span className="visually-hidden">
                  {space.members.map(({ name }) => oneLine(name)).join(', ')}
                </span>
              </>
            ) : (
              oneLine(space.agentName)
            )}{' '}
            · <span title={space.noFolder ? space.folder : undefined}>{placeOf(space)}</span>
          </span>
          <time
            className="space-time tabular"
            dateTime={new Date(space.lastActivity).toISOString()}
            title={exact(space.lastActivity)}
          >
            {ago(space.lastActivity, now)}
          </time>
        </button>
      )}
      {tree !== undefined && !renaming && (
        <button
          type="button"
          className="space-branches tabular"
          aria-expanded={tree.open}
          aria-label={t('branches.below', { count: tree.branches, title })}
          title={t('branches.below', { count: tree.branches, title })}
          onClick={() => tree.toggle(!tree.open)}
        >
          <GitBranch size={12} aria-hidden />
          {count(tree.branches)}
          <ChevronRight className="space-chevron" size={12} aria-hidden />
        </button>
      )}
      {rest !== null && <rest.SpaceMenu space={space} title={title} />}
    </li>
  );
});

/** Where a space is, in a word: its folder, or the repository and branch of its worktree. */
function placeOf({ folder, noFolder, worktree }: Space): string {
  if (noFolder) return t('space.noFolder');
  if (worktree === null) return oneLine(lastName(folder));
  return oneLine(`${lastName(worktree.repository)} · ${worktree.branch}`);
}
