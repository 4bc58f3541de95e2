import { type FormEvent, useId, useState } from 'react';
import { importConversations } from '../../commands/imports';
import { t } from '../../i18n';
import { translated } from '../../i18n/said';
import { useFoundConversations, useImport } from '../../queries/imports';
import { useWeft } from '../../state/weft';
import type { FoundProgram } from '../../transport/api';
import { FailedRead } from '../parts/FailedRead';
import { inactiveWhile } from '../parts/inactiveWhile';
import { Lines } from '../parts/Lines';
import { ago, bytes, count, exact } from '../parts/numbers';
import { useMinutes } from '../parts/useNow';
import { useSave } from '../parts/useSave';
import { ImportProgress } from './Progress';
import './programs.css';

const day = 86_400_000;
const ages = [0, 7, 30, 365] as const;

/** Imports conversations that other programs stored on this machine. */
export function ImportSettings() {
  const weft = useWeft();
  const found = useFoundConversations();
  const { data: job } = useImport();
  const programs = found.data?.programs ?? [];
  return (
    <section className="settings-part" aria-labelledby="settings-import">
      <h2 id="settings-import">{t('import.settingsTitle')}</h2>
      <p className="settings-lead">{t('import.settingsLead')}</p>
      {found.error !== null && (
        <FailedRead error={found.error} className="field-error" onAgain={() => void found.refetch()} />
      )}
      {found.data === undefined && found.error === null && (
        <p className="settings-lead delayed">{t('import.looking')}</p>
      )}
      {found.data !== undefined && programs.length === 0 && <p className="quiet-text">{t('import.none')}</p>}
      {programs.length > 0 && <Choice programs={programs} running={job?.running === true} />}
      {job !== undefined && <ImportProgress job={job} />}
      <div id="settings-import-files" className="import-files">
        <p className="quiet-text">{t('import.filesNote')}</p>
        <button type="button" className="button" onClick={() => weft.open('import')}>
          {t('import.choose')}
        </button>
      </div>
    </section>
  );
}

function Choice({ programs, running }: { programs: readonly FoundProgram[]; running: boolean }) {
  const weft = useWeft();
  const saving = useSave();
  const id = useId();
  const [off, setOff] = useState<readonly string[]>([]);
  const [folder, setFolder] = useState('');
  const [age, setAge] = useState(0);
  const [deleted, setDeleted] = useState(false);
  const chosen = programs.filter((program) => program.conversations > 0 && !off.includes(program.id));
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void saving.run(() =>
      importConversations(weft, {
        programs: chosen.map((program) => program.id),
        ...(folder.trim() !== '' && { folder: folder.trim() }),
        ...(age > 0 && { since: Date.now() - age * day }),
        ...(deleted && { deleted }),
      }),
    );
  };
  return (
    <form className="import-form" onSubmit={submit}>
      <fieldset className="import-programs">
        <legend className="setting-label">{t('import.programs')}</legend>
        {programs.map((program) => (
          <Program
            key={program.id}
            program={program}
            on={!off.includes(program.id)}
            onChange={(on) => setOff(on ? off.filter((one) => one !== program.id) : [...off, program.id])}
          />
        ))}
      </fieldset>
      <div className="setting">
        <label className="setting-label" htmlFor={`${id}-folder`}>
          {t('import.folder')}
        </label>
        <input
          id={`${id}-folder`}
          className="field mono"
          value={folder}
          placeholder={t('import.anyFolder')}
          onChange={(event) => {
            saving.clear();
            setFolder(event.target.value);
          }}
        />
      </div>
      <div className="setting">
        <label className="setting-label" htmlFor={`${id}-age`}>
          {t('import.changed')}
        </label>
        <select
          id={`${id}-age`}
          className="field"
          value={age}
          onChange={(event) => setAge(Number(event.target.value))}
        >
          {ages.map((days) => (
            <option key={days} value={days}>
              {days === 0 ? t('import.anyTime') : t('import.days', { count: days })}
            </option>
          ))}
        </select>
      </div>
      <label className="check">
        <input type="checkbox" checked={deleted} onChange={(event) => setDeleted(event.target.checked)} />
        {t('import.deleted')}
      </label>
      {saving.error !== null && (
        <p className="field-error" role="alert">
          <Lines text={saving.error.message} />
        </p>
      )}
      <div>
        <button
          type="submit"
          className="button primary"
          {...inactiveWhile(running || saving.busy)}
          disabled={chosen.length === 0}
        >
          {t('import.start')}
        </button>
      </div>
    </form>
  );
}

function Program({
  program,
  on,
  onChange,
}: {
  program: FoundProgram;
  on: boolean;
  onChange(on: boolean): void;
}) {
  const now = useMinutes();
  const id = useId();
  const some = program.conversations > 0;
  return (
    <div className="import-program">
      <input
        id={id}
        type="checkbox"
        checked={on && some}
        disabled={!some}
        onChange={(event) => onChange(event.target.checked)}
      />
      <label htmlFor={id}>{program.name}</label>
      <span className="quiet-text tabular">
        {t('import.conversations', { count: program.conversations, n: count(program.conversations) })}
        {some && program.new === 0 && ` · ${t('import.noneNew')}`}
        {some &&
          program.new > 0 &&
          program.new < program.conversations &&
          ` · ${t('import.new', { count: program.new, n: count(program.new) })}`}
        {program.bytes > 0 && ` · ${bytes(program.bytes)}`}
        {program.newest > 0 && (
          <>
            {' · '}
            <time dateTime={new Date(program.newest).toISOString()} title={exact(program.newest)}>
              {ago(program.newest, now)}
            </time>
          </>
        )}
      </span>
      {program.problem !== '' && (
        <p className="field-error import-program-problem">
          <Lines text={translated(program.problem)} />
        </p>
      )}
    </div>
  );
}
