import { Dialog } from '@base-ui/react/dialog';
import { X } from 'lucide-react';
import { useState } from 'react';
import { redoChanges, undoSince } from '../../commands/changes';
import { t } from '../../i18n';
import { translated } from '../../i18n/said';
import { useUndoPlan } from '../../queries/commits';
import { say, showFailure, showUndoable } from '../../state/notify';
import { useStore } from '../../state/store';
import { useWeft } from '../../state/weft';
import type { UndoFile } from '../../transport/api';
import { Counts } from '../diff/Counts';
import { oneLine } from '../parts/clean';
import { inactiveWhile } from '../parts/inactiveWhile';
import { Lines, WholeLine } from '../parts/Lines';
import './changes.css';

/** Previews undoing everything since a prompt, and does it. */
export function UndoDialog({ spaceId }: { spaceId: string }) {
  const weft = useWeft();
  const since = useStore(weft.dialogs, (state) => state.undoSince);
  const close = () => weft.dialogs.set({ undoSince: null });
  if (since === null || since.spaceId !== spaceId) return null;
  return (
    <Dialog.Root open onOpenChange={(open) => !open && close()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="backdrop" />
        <Dialog.Popup className="dialog undo-dialog">
          <div className="dialog-head">
            <Dialog.Title className="dialog-title">{t('undoSince.title')}</Dialog.Title>
            <Dialog.Close className="icon-button" aria-label={t('close')} title={t('close')}>
              <X size={16} aria-hidden />
            </Dialog.Close>
          </div>
          <Body {...since} onClose={close} />
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

function Body({ spaceId, messageId, onClose }: { spaceId: string; messageId: string; onClose(): void }) {
  const weft = useWeft();
  const { data, error } = useUndoPlan(spaceId, messageId);
  const plan = data ?? null;
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const [busy, setBusy] = useState(false);
  const files = plan?.files ?? [];
  const plain = files.filter(({ conflict, stuck }) => conflict === '' && stuck === '');
  const conflicts = files.filter(({ conflict, stuck }) => conflict !== '' && stuck === '');
  const stuck = files.filter((file) => file.stuck !== '');
  const picked = conflicts.filter(({ path }) => chosen.includes(path));
  const n = plain.length + picked.length;
  const undo = async () => {
    setBusy(true);
    try {
      const outcome = await undoSince(weft, {
        spaceId,
        messageId,
        // Only what the user sees here: Weft may still find what the agent, or someone else, has just changed.
        chosen: [...plain, ...picked].map(({ path, version }) => ({ path, version })),
        only: true,
      });
      onClose();
      const redo = () =>
        void weft.attempt(t('failed.redo'), async () => {
          const back = await redoChanges(weft, spaceId, outcome.turn);
          for (const { message } of back.left ?? []) say(oneLine(translated(message)));
        });
      if (outcome.turn > 0) showUndoable(t('undoSince.done', { count: outcome.done }), redo);
      for (const { message } of outcome.left ?? []) say(oneLine(translated(message)));
    } catch (failure) {
      showFailure(t('failed.undoSince'), failure);
      setBusy(false);
    }
  };
  return (
    <>
      {error !== null && (
        <p className="field-error" role="alert">
          <Lines text={error.message} />
        </p>
      )}
      {plan === null && error === null && <p className="quiet-text delayed">{t('loading')}</p>}
      {plan !== null && files.length === 0 && (
        <p>{plan.known ? t('undoSince.none') : t('undoSince.unknown')}</p>
      )}
      {plain.length > 0 && (
        <>
          <p>{t('undoSince.lead')}</p>
          <ul className="undo-list" aria-label={t('undoSince.title')}>
            {plain.map((file) => (
              <li key={file.path} className="undo-file">
                <Name file={file} />
              </li>
            ))}
          </ul>
        </>
      )}
      {conflicts.length > 0 && (
        <fieldset className="undo-conflicts">
          <legend>{t('undoSince.conflicts')}</legend>
          {conflicts.map((file) => (
            <label key={file.path} className="undo-file">
              <input
                type="checkbox"
                checked={chosen.includes(file.path)}
                onChange={(event) =>
                  setChosen(
                    event.target.checked ? [...chosen, file.path] : chosen.filter((one) => one !== file.path),
                  )
                }
              />
              <Name file={file} />
              <span className="undo-reason">{translated(file.conflict)}</span>
            </label>
          ))}
        </fieldset>
      )}
      {stuck.length > 0 && (
        <>
          <p>{t('undoSince.stuck')}</p>
          <ul className="undo-list" aria-label={t('undoSince.stuck')}>
            {stuck.map((file) => (
              <li key={file.path} className="undo-file">
                <span className="undo-path mono">
                  <WholeLine text={file.path} />
                </span>
                <span className="undo-reason">{translated(file.stuck)}</span>
              </li>
            ))}
          </ul>
        </>
      )}
      <div className="dialog-foot">
        <span className="grow" />
        <button type="button" className="button plain" onClick={onClose}>
          {t('cancel')}
        </button>
        <button
          type="button"
          className="button primary"
          {...inactiveWhile(busy)}
          disabled={n === 0}
          onClick={() => void undo()}
        >
          {n === 0 ? t('undoSince.unchanged') : t('undoSince.go', { count: n })}
        </button>
      </div>
    </>
  );
}

function Name({ file }: { file: UndoFile }) {
  return (
    <>
      <span className="undo-path mono" title={oneLine(file.path)}>
        <WholeLine text={file.path} />
      </span>
      <span className="undo-action" data-what={file.what}>
        {t(`undoSince.${file.what}`)}
      </span>
      <Counts added={file.added} removed={file.removed} />
    </>
  );
}
