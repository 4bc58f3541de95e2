import { Dialog } from '@base-ui/react/dialog';
import { X } from 'lucide-react';
import { useState } from 'react';
import { asCommandError } from '../../commands/failure';
import { archiveSpace, createSpace, removeSpace, removeWorktree } from '../../commands/spaces';
import { t } from '../../i18n';
import { translated } from '../../i18n/said';
import { useWorktreeState } from '../../queries/worktrees';
import type { WorktreeView } from '../../state/dialogs';
import { say, showFailure } from '../../state/notify';
import { useStore } from '../../state/store';
import { useWeft } from '../../state/weft';
import type { WorktreeState } from '../../transport/api';
import { oneLine } from '../parts/clean';
import { inactiveWhile } from '../parts/inactiveWhile';
import { shortPath } from '../parts/paths';
import { WorktreeContents } from './WorktreeContents';
import './worktree.css';

/** The contents of a worktree, and what to do with it. */
export function WorktreeDialog() {
  const weft = useWeft();
  const view = useStore(weft.dialogs, (state) => state.worktree);
  const close = () => weft.dialogs.set({ worktree: null });
  if (view === null) return null;
  return (
    <Dialog.Root open onOpenChange={(open) => !open && close()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="backdrop" />
        <Dialog.Popup className="dialog worktree-dialog">
          <div className="dialog-head">
            <Dialog.Title className="dialog-title">{t('worktree.title')}</Dialog.Title>
            <Dialog.Close className="icon-button" aria-label={t('close')} title={t('close')}>
              <X size={16} aria-hidden />
            </Dialog.Close>
          </div>
          <Body key={view.id} view={view} onClose={close} />
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

function Body({ view, onClose }: { view: WorktreeView; onClose(): void }) {
  const { data, error: unread, refetch } = useWorktreeState(view.id);
  const state = data ?? null;
  const [failed, setFailed] = useState('');
  const error = failed || (unread?.message ?? '');
  const look = () => {
    setFailed('');
    return refetch();
  };
  const lead =
    view.next === null ? '' : t(`worktree.${view.next.what}Lead`, { title: view.next.space.title });
  return (
    <>
      {lead !== '' && <p>{lead}</p>}
      {error !== '' && (
        <p className="field-error" role="alert">
          {error}
        </p>
      )}
      {state === null && error === '' && <p className="quiet-text delayed">{t('worktree.looking')}</p>}
      {state !== null && <Facts state={state} />}
      {state === null ? (
        <div className="dialog-foot">
          <span className="grow" />
          {error !== '' && (
            <button type="button" className="button" onClick={() => void look()}>
              {t('worktree.refresh')}
            </button>
          )}
          <KeepWorktree view={view} onClose={onClose} />
        </div>
      ) : (
        <Actions
          key={state.token}
          state={state}
          view={view}
          onLook={look}
          onError={setFailed}
          onClose={onClose}
        />
      )}
    </>
  );
}

function Facts({ state }: { state: WorktreeState }) {
  const weft = useWeft();
  const home = useStore(weft.server, ({ about }) => about.home);
  const { path, repository, branch } = state.worktree;
  return (
    <dl className="facts worktree-facts">
      <div>
        <dt>{t('worktree.branch')}</dt>
        <dd className="mono">{oneLine(branch)}</dd>
      </div>
      <div>
        <dt>{t('worktree.path')}</dt>
        <dd className="mono">{oneLine(shortPath(path, home))}</dd>
      </div>
      <div>
        <dt>{t('worktree.repository')}</dt>
        <dd className="mono">{oneLine(shortPath(repository, home))}</dd>
      </div>
    </dl>
  );
}

interface ActionsProps {
  state: WorktreeState;
  view: WorktreeView;
  onLook(): Promise<unknown>;
  onError(message: string): void;
  onClose(): void;
}

/** First what there is; anything that would lose data takes a second step. */
function Actions({ state, view, onLook, onError, onClose }: ActionsProps) {
  const weft = useWeft();
  const spaces = useStore(weft.server, (all) => all.spaces);
  const home = useStore(weft.server, ({ about }) => about.home);
  const [branch, setBranch] = useState(true);
  const [anyway, setAnyway] = useState(false);
  const [busy, setBusy] = useState(false);
  const { worktree } = state;
  const base = oneLine(worktree.baseBranch) || t('worktree.base');
  const stuck = state.foreign || state.repositoryGone || state.locked;
  const branchMayGo = !state.branchGone && state.unmerged === 0 && !state.repositoryGone;
  const here = spaces.find(({ id }) => id === worktree.spaceId);

  const remove = async () => {
    setBusy(true);
    onError('');
    try {
      const { kept, note } = await removeWorktree(weft, {
        worktreeId: worktree.id,
        token: state.token,
        anyway,
        branch: branch && branchMayGo,
      });
      onClose();
      say(t('worktree.removed'));
      if (kept !== '') say(t('worktree.kept', { branch: oneLine(kept) }));
      if (note !== '') say(translated(note));
      if (view.next !== null) await finish(weft, view);
    } catch (failure) {
      setBusy(false);
      await onLook(); // reloaded to show the current state with the reason
      onError(asCommandError(failure).message);
    }
  };
  const openNew = async () => {
    try {
      await createSpace(weft, '', worktree.path);
      onClose();
    } catch (failure) {
      showFailure(t('failed.create'), failure);
    }
  };
  return (
    <>
      <WorktreeContents state={state} warn={anyway} />
      {!stuck && branchMayGo && (
        <label className="check">
          <input type="checkbox" checked={branch} onChange={(event) => setBranch(event.target.checked)} />
          {t('worktree.branchDelete', { branch: oneLine(worktree.branch), base })}
        </label>
      )}
      {!stuck && here !== undefined && view.next === null && (
        <p className="quiet-text">
          {t('worktree.spaceGoesOn', { folder: oneLine(shortPath(worktree.repository, home)) })}
        </p>
      )}
      <div className="dialog-foot">
        {here !== undefined && view.next === null && weft.shown.get().selected !== here.id && (
          <button
            type="button"
            className="button plain"
            onClick={() => {
              weft.select(here.id);
              onClose();
            }}
          >
            {t('worktree.openSpace')}
          </button>
        )}
        {worktree.spaceGone && !worktree.missing && (
          <button type="button" className="button plain" onClick={() => void openNew()}>
            {t('worktree.newSpace')}
          </button>
        )}
        <span className="grow" />
        <KeepWorktree view={view} onClose={onClose} />
        {!stuck && state.unsaved && !anyway && (
          <button type="button" className="button danger" onClick={() => setAnyway(true)}>
            {t('worktree.anyway')}
          </button>
        )}
        {!stuck && (!state.unsaved || anyway) && (
          <button
            type="button"
            className={state.unsaved ? 'button danger' : 'button primary'}
            {...inactiveWhile(busy)}
            onClick={() => void remove()}
          >
            {anyway
              ? t('worktree.anywayGo')
              : view.next === null
                ? t('worktree.remove')
                : t(`worktree.${view.next.what}Remove`)}
          </button>
        )}
      </div>
    </>
  );
}

/** The choice that leaves the worktree alone. */
function KeepWorktree({ view, onClose }: { view: WorktreeView; onClose(): void }) {
  const weft = useWeft();
  return (
    <button
      type="button"
      className="button"
      onClick={() => {
        onClose();
        void finish(weft, view);
      }}
    >
      {view.next === null ? t('worktree.keep') : t(`worktree.${view.next.what}Keep`)}
    </button>
  );
}

/** Continues the action for which the dialog was opened. */
async function finish(weft: ReturnType<typeof useWeft>, view: WorktreeView): Promise<void> {
  if (view.next?.what === 'archive') await archiveSpace(weft, view.next.space, true, true);
  if (view.next?.what === 'delete') await removeSpace(weft, view.next.space, true);
}
