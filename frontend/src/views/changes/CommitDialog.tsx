import { Dialog } from '@base-ui/react/dialog';
import { GitCommitHorizontal, TriangleAlert, X } from 'lucide-react';
import { useState } from 'react';
import { acceptChanges, commitAccepted } from '../../commands/changes';
import { t } from '../../i18n';
import { joinFacts } from '../../i18n/formats';
import { translated } from '../../i18n/said';
import { useCommitPlan } from '../../queries/commits';
import { say } from '../../state/notify';
import { useStore } from '../../state/store';
import { readDraft, writeDraft } from '../../state/ui';
import { useWeft } from '../../state/weft';
import type { CommitPlan, CommitFile as File } from '../../transport/api';
import { Counts } from '../diff/Counts';
import { oneLine } from '../parts/clean';
import { Field } from '../parts/Field';
import { Lines, WholeLine } from '../parts/Lines';
import { useSave } from '../parts/useSave';
import { Pushing } from './Pushing';
import { proposedMessage } from './proposed';
import './changes.css';
import './commit.css';

/** Commits accepted changes of a space: which files, and the message. */
export function CommitDialog({ spaceId }: { spaceId: string }) {
  const weft = useWeft();
  const asked = useStore(weft.dialogs, (state) => state.commit);
  const close = () => weft.dialogs.set({ commit: null });
  if (asked === null || asked.spaceId !== spaceId) return null;
  return (
    <Dialog.Root open onOpenChange={(open) => !open && close()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="backdrop" />
        <Dialog.Popup className="dialog commit-dialog">
          <div className="dialog-head">
            <Dialog.Title className="dialog-title">{t('commit.title')}</Dialog.Title>
            <Dialog.Close className="icon-button" aria-label={t('close')} title={t('close')}>
              <X size={16} aria-hidden />
            </Dialog.Close>
          </div>
          <Body {...asked} onClose={close} />
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

function Body({ spaceId, prompt, onClose }: { spaceId: string; prompt: string; onClose(): void }) {
  const weft = useWeft();
  const { data, error, refetch } = useCommitPlan(spaceId);
  const waiting = useStore(weft.server, ({ changes }) => changes[spaceId]?.files ?? 0);
  /** The result of the commit. */
  const [done, setDone] = useState('');
  const review = () => {
    onClose();
    weft.openPanel('changes');
  };
  const acceptAll = () =>
    void weft.attempt(t('failed.decide'), async () => {
      await acceptChanges(weft, spaceId, []);
      await refetch();
    });
  if (error !== null) {
    return (
      <>
        <p className="field-error" role="alert">
          <Lines text={error.message} />
        </p>
        <Foot onClose={onClose} />
      </>
    );
  }
  if (data === undefined) return <p className="quiet-text delayed">{t('loading')}</p>;
  const { remote } = data;
  const nothing = (data.files ?? []).length === 0;
  if (remote !== null && (done !== '' || (nothing && waiting === 0 && remote.ahead !== 0)))
    return (
      <Pushing
        spaceId={spaceId}
        done={done === '' ? t('commit.nothing') : done}
        remote={remote}
        onClose={onClose}
      />
    );
  if (nothing) {
    return (
      <>
        <p>{waiting > 0 ? t('commit.nothingAccepted') : t('commit.nothing')}</p>
        <Foot onClose={onClose}>
          {waiting > 0 && (
            <>
              <button type="button" className="button" onClick={acceptAll}>
                {t('commit.acceptAll', { count: waiting })}
              </button>
              <button type="button" className="button primary" onClick={review}>
                {t('commit.review')}
              </button>
            </>
          )}
        </Foot>
      </>
    );
  }
  return (
    <Form
      spaceId={spaceId}
      plan={data}
      prompt={prompt}
      waiting={waiting}
      onReview={review}
      onDone={(said) => {
        setDone(said);
        void refetch();
      }}
      onClose={onClose}
    />
  );
}

interface FormProps {
  spaceId: string;
  plan: CommitPlan;
  prompt: string;
  /** Number of files that still need review. */
  waiting: number;
  onReview(): void;
  onDone(done: string): void;
  onClose(): void;
}

function Form({ spaceId, plan, prompt, waiting, onReview, onDone, onClose }: FormProps) {
  const weft = useWeft();
  const proposed = proposedMessage(prompt);
  const draftKey = `commit:${spaceId}:${proposed}`;
  const [message, setMessage] = useState(() => readDraft(draftKey) || proposed);
  const [out, setOut] = useState<readonly string[]>([]);
  const [by, setBy] = useState({ name: '', email: '' });
  const { busy, error, run } = useSave();
  const files = plan.files ?? [];
  const fit = files.filter((file) => file.problem === '');
  const stuck = files.filter((file) => file.problem !== '');
  const picked = fit.filter(({ path }) => !out.includes(path));
  const known = !plan.nameless || (by.name.trim() !== '' && by.email.trim() !== '');
  const ready = picked.length > 0 && message.trim() !== '' && known && !busy;
  const commit = () => {
    if (!ready) return;
    void run(async () => {
      const made = await commitAccepted(weft, {
        spaceId,
        files: picked.map(({ path, version }) => ({ path, version })),
        message,
        by,
      });
      writeDraft(draftKey, '');
      const done =
        made.branch === ''
          ? t('commit.doneDetached', { count: made.files, commit: made.short })
          : t('commit.done', { count: made.files, commit: made.short, branch: oneLine(made.branch) });
      if (plan.remote === null) {
        onClose();
        say(done);
      } else onDone(done);
    });
  };
  return (
    <form
      className="form"
      onSubmit={(event) => {
        event.preventDefault();
        commit();
      }}
    >
      <Field label={t('commit.message')}>
        {(control) => (
          <textarea
            dir="auto"
            {...control}
            className="field commit-message"
            rows={3}
            value={message}
            // biome-ignore lint/a11y/noAutofocus: the purpose of the dialog
            autoFocus
            onChange={(event) => {
              setMessage(event.target.value);
              writeDraft(draftKey, event.target.value === proposed ? '' : event.target.value);
            }}
            onKeyDown={(event) => {
              if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
              event.preventDefault();
              commit();
            }}
          />
        )}
      </Field>
      <fieldset className="commit-files">
        <legend className="form-label">{t('commit.files')}</legend>
        {fit.map((file) => (
          <label key={file.path} className="undo-file">
            <input
              type="checkbox"
              checked={!out.includes(file.path)}
              onChange={(event) =>
                setOut(event.target.checked ? out.filter((one) => one !== file.path) : [...out, file.path])
              }
            />
            <Name file={file} />
          </label>
        ))}
      </fieldset>
      {stuck.length > 0 && (
        <ul className="undo-list" aria-label={t('commit.stuck')}>
          {stuck.map((file) => (
            <li key={file.path} className="undo-file">
              <span className="undo-path mono" title={oneLine(file.path)}>
                <WholeLine text={file.path} />
              </span>
              <span className="undo-reason">{translated(file.problem)}</span>
            </li>
          ))}
        </ul>
      )}
      {plan.nameless && (
        <div className="commit-by">
          <Field label={t('commit.name')}>
            {(control) => (
              <input
                {...control}
                className="field"
                autoComplete="name"
                value={by.name}
                onChange={(event) => setBy({ ...by, name: event.target.value })}
              />
            )}
          </Field>
          <Field label={t('commit.email')}>
            {(control) => (
              <input
                {...control}
                className="field"
                type="email"
                autoComplete="email"
                value={by.email}
                onChange={(event) => setBy({ ...by, email: event.target.value })}
              />
            )}
          </Field>
          <p className="form-note">{t('commit.nameless')}</p>
        </div>
      )}
      <Notes plan={plan} waiting={waiting} onReview={onReview} />
      {error !== null && (
        <p className="field-error" role="alert">
          <Lines text={error.message} />
        </p>
      )}
      <Foot onClose={onClose} branch={plan.branch}>
        <button type="submit" className="button primary" disabled={!ready}>
          <GitCommitHorizontal size={14} aria-hidden />
          {t('commit.go', { count: picked.length })}
        </button>
      </Foot>
    </form>
  );
}

/** Warnings before the commit. */
function Notes({ plan, waiting, onReview }: { plan: CommitPlan; waiting: number; onReview(): void }) {
  const hooks = plan.hooks ?? [];
  return (
    <>
      {waiting > 0 && (
        <p className="form-note">
          {t('commit.waiting', { count: waiting })}{' '}
          <button type="button" className="text-button" onClick={onReview}>
            {t('commit.review')}
          </button>
        </p>
      )}
      {(hooks.length > 0 || plan.unsigned) && (
        <p className="commit-warning">
          <TriangleAlert size={13} aria-hidden />
          <span>
            {hooks.length > 0 &&
              t('commit.hooks', { hooks: joinFacts(hooks.map(oneLine)), count: hooks.length })}{' '}
            {plan.unsigned && t('commit.unsigned')}
          </span>
        </p>
      )}
    </>
  );
}

function Name({ file }: { file: File }) {
  return (
    <>
      <span className="undo-path mono" title={oneLine(file.path)}>
        <WholeLine text={file.path} />
      </span>
      <span className="undo-action" data-what={file.what}>
        {t(`commit.${file.what}`)}
      </span>
      <Counts added={file.added} removed={file.removed} />
    </>
  );
}

function Foot({
  branch = '',
  onClose,
  children,
}: {
  branch?: string;
  onClose(): void;
  children?: React.ReactNode;
}) {
  return (
    <div className="dialog-foot">
      {branch !== '' && <span className="quiet-text mono commit-branch truncate">{oneLine(branch)}</span>}
      <span className="grow" />
      <button type="button" className="button plain" onClick={onClose}>
        {t('cancel')}
      </button>
      {children}
    </div>
  );
}
