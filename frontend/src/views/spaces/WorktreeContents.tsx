import { t } from '../../i18n';
import { formatList } from '../../i18n/formats';
import type { WorktreeFiles, WorktreeState } from '../../transport/api';
import { oneLine } from '../parts/clean';
import { count } from '../parts/numbers';

/** The contents of a worktree, starting with what is stored nowhere else. */
export function WorktreeContents({ state, warn }: { state: WorktreeState; warn: boolean }) {
  const { worktree } = state;
  const base = oneLine(worktree.baseBranch) || t('worktree.base');
  if (state.repositoryGone) return <p>{t('worktree.repositoryGone')}</p>;
  if (state.foreign) return <p>{t('worktree.foreign')}</p>;
  const submodules = state.submodules ?? [];
  return (
    <>
      {state.locked && (
        <p className="worktree-stuck">
          {state.lockReason === ''
            ? t('worktree.locked')
            : t('worktree.lockedWhy', { why: oneLine(state.lockReason) })}
        </p>
      )}
      {worktree.missing && <p>{t('worktree.missing')}</p>}
      {state.unsaved && (
        <section className="worktree-unsaved" aria-label={t('worktree.unsaved')}>
          <h3>{warn ? t('worktree.anywayLead') : t('worktree.unsaved')}</h3>
          <Files label={t('worktree.changed', { count: state.changed.count })} files={state.changed} />
          <Files label={t('worktree.untracked', { count: state.untracked.count })} files={state.untracked} />
          <Files label={t('worktree.hidden', { count: state.hidden.count })} files={state.hidden} />
          {submodules.length > 0 && (
            <p>{t('worktree.submodules', { names: formatList(submodules.map((name) => oneLine(name))) })}</p>
          )}
          {state.busy !== '' && <p>{t('worktree.busy', { what: state.busy })}</p>}
          {state.loose > 0 && (
            <p>
              {t('worktree.loose', { count: state.loose })}
              {warn && ` ${t('worktree.anywayLoose')}`}
            </p>
          )}
        </section>
      )}
      {!state.unsaved && !worktree.missing && <p>{t('worktree.clean')}</p>}
      <Files label={t('worktree.ignored', { count: state.ignored.count })} files={state.ignored} />
      {state.branchGone && <p>{t('worktree.branchGone')}</p>}
      {state.unmerged > 0 && (
        <p>
          {t('worktree.branchKept', { count: state.unmerged, base })}
          {state.unpushed > 0 && ` ${t('worktree.branchUnpushed', { count: state.unpushed })}`}
        </p>
      )}
      {!worktree.missing && state.current !== worktree.branch && (
        <p>
          {state.current === ''
            ? t('worktree.detached')
            : t('worktree.current', { branch: oneLine(state.current) })}
        </p>
      )}
    </>
  );
}

function Files({ label, files }: { label: string; files: WorktreeFiles }) {
  const names = files.names ?? [];
  if (files.count === 0) return null;
  return (
    <div className="worktree-files">
      <p>{label}</p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by keyboard */}
      <ul className="worktree-names mono" aria-label={label} tabIndex={0}>
        {names.map((name) => (
          <li key={name}>{oneLine(name)}</li>
        ))}
        {files.count > names.length && (
          <li>{t('worktree.more', { n: count(files.count - names.length) })}</li>
        )}
      </ul>
    </div>
  );
}
