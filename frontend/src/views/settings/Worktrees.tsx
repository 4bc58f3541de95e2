import { t } from '../../i18n';
import { useWorktrees } from '../../queries/worktrees';
import { useStore } from '../../state/store';
import { useWeft } from '../../state/weft';
import type { Worktree } from '../../transport/api';
import { oneLine } from '../parts/clean';
import { FailedRead } from '../parts/FailedRead';
import { shortPath } from '../parts/paths';

/** The worktrees created by Weft, unused ones first. */
export function Worktrees() {
  const weft = useWeft();
  const home = useStore(weft.server, (state) => state.about.home);
  const { data, error, refetch } = useWorktrees();
  const list = data ?? [];
  const sorted = [...list].sort((a, b) => Number(b.spaceGone) - Number(a.spaceGone));
  return (
    <section className="settings-part" aria-labelledby="settings-worktrees">
      <h2 id="settings-worktrees">{t('worktree.list.title')}</h2>
      <p className="settings-lead">{t('worktree.list.lead')}</p>
      {error !== null && <FailedRead error={error} onAgain={() => void refetch()} />}
      {data === undefined && error === null && <p className="settings-lead delayed">{t('loading')}</p>}
      {data !== undefined && list.length === 0 && <p className="mcp-none">{t('worktree.list.none')}</p>}
      <ul className="worktree-list" aria-labelledby="settings-worktrees" hidden={list.length === 0}>
        {sorted.map((tree) => (
          <li key={tree.id} className="worktree-row" data-gone={tree.spaceGone || undefined}>
            <div className="worktree-row-text">
              <span className="mono worktree-row-branch">{oneLine(tree.branch)}</span>
              <span className="worktree-row-space">{whose(tree)}</span>
              <span className="mono worktree-row-path">{oneLine(shortPath(tree.path, home))}</span>
            </div>
            <button
              type="button"
              className="button"
              aria-label={t('worktree.list.look', { branch: oneLine(tree.branch) })}
              onClick={() => weft.dialogs.set({ worktree: { id: tree.id, next: null } })}
            >
              {t('worktree.list.lookShort')}
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}

function whose(tree: Worktree): string {
  const parts = [
    tree.spaceGone ? t('worktree.list.gone') : oneLine(tree.spaceTitle) || t('space.untitled'),
    tree.spaceArchived && !tree.spaceGone ? t('worktree.list.archived') : '',
    tree.missing ? t('worktree.list.missing') : '',
  ];
  return parts.filter((part) => part !== '').join(' · ');
}
