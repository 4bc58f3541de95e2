import { type FormEvent, useId, useState } from 'react';
import { t } from '../../i18n';
import { useEditors } from '../../queries/settings';
import type { EditorSettings } from '../../transport/api';
import { inactiveWhile } from '../parts/inactiveWhile';
import { useSave } from '../parts/useSave';

/** Settings: which editor opens files. */
export function EditorForm() {
  const { editors, error, save } = useEditors();
  return (
    <section className="settings-part" aria-labelledby="settings-editor">
      <h2 id="settings-editor">{t('editor.title')}</h2>
      <p className="settings-lead">{t('editor.lead')}</p>
      {error !== null && (
        <p className="field-error" role="alert">
          {error.message}
        </p>
      )}
      {editors !== null && <Choice editors={editors} onSave={save} />}
    </section>
  );
}

function Choice({
  editors,
  onSave,
}: {
  editors: EditorSettings;
  onSave(use: string, command: string): Promise<void>;
}) {
  const saving = useSave();
  const [command, setCommand] = useState(editors.command);
  // A custom command is used once it is complete.
  const [custom, setCustom] = useState(false);
  const id = useId();
  const error = saving.error !== null && (
    <p id={`${id}-error`} className="setting-note field-error" role="alert">
      {saving.error.message}
    </p>
  );
  const use = custom ? 'custom' : editors.use;
  const choose = (next: string) => {
    saving.clear();
    if (next === 'custom' && command === '') {
      setCustom(true);
      return;
    }
    void saving.run(async () => {
      await onSave(next, editors.command);
      setCustom(false);
    });
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void saving.run(async () => {
      await onSave('custom', command);
      setCustom(false);
    });
  };
  const note = noteOf(editors, use);
  return (
    <>
      <div id="settings-editor-choice" className="setting">
        <label className="setting-label" htmlFor={`${id}-use`}>
          {t('editor.label')}
        </label>
        <select
          id={`${id}-use`}
          className="field editor-choice"
          value={use}
          aria-describedby={note === '' ? undefined : `${id}-note`}
          onChange={(event) => choose(event.target.value)}
        >
          <option value="auto">{automaticOf(editors)}</option>
          {(editors.editors ?? []).map((one) => (
            <option key={one.id} value={one.id}>
              {one.found ? one.name : t('editor.notFound', { name: one.name })}
            </option>
          ))}
          <option value="env">{t('editor.env')}</option>
          <option value="custom">{t('editor.custom')}</option>
        </select>
        {note !== '' && (
          <p id={`${id}-note`} className="setting-note">
            {note}
          </p>
        )}
        {use !== 'custom' && error}
      </div>
      {use === 'custom' && (
        <form className="setting" onSubmit={submit}>
          <label className="setting-label" htmlFor={`${id}-command`}>
            {t('editor.command')}
          </label>
          <div className="editor-command">
            <input
              id={`${id}-command`}
              className="field mono"
              value={command}
              placeholder={t('editor.commandExample')}
              spellCheck={false}
              autoComplete="off"
              aria-invalid={saving.error !== null}
              aria-describedby={saving.error === null ? `${id}-form` : `${id}-error`}
              onChange={(event) => {
                saving.clear();
                setCommand(event.target.value);
              }}
            />
            <button
              type="submit"
              className="button"
              {...inactiveWhile(saving.busy)}
              disabled={!custom && command === editors.command}
            >
              {t('editor.save')}
            </button>
          </div>
          {error}
          <p id={`${id}-form`} className="setting-note">
            {t('editor.commandNote')}
          </p>
        </form>
      )}
    </>
  );
}

function automaticOf({ automatic }: EditorSettings): string {
  return automatic === '' ? t('editor.automaticNone') : t('editor.automaticIs', { name: automatic });
}

function noteOf({ automatic }: EditorSettings, use: string): string {
  if (use === 'env') return t('editor.envNote');
  return use === 'auto' && automatic === '' ? t('editor.noneNote') : '';
}
