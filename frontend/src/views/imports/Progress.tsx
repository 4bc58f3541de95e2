import { CircleAlert, Info } from 'lucide-react';
import { cancelImport } from '../../commands/imports';
import { t } from '../../i18n';
import { joinFacts } from '../../i18n/formats';
import { translated } from '../../i18n/said';
import { useWeft } from '../../state/weft';
import type { ConversationsReport, ImportJob, ImportProblem, ProgramReport } from '../../transport/api';
import { oneLine } from '../parts/clean';
import { Lines } from '../parts/Lines';
import { bytes, count } from '../parts/numbers';
import './programs.css';

/** Progress or result of an import. Renders nothing if there was none. */
export function ImportProgress({ job, brief = false }: { job: ImportJob; brief?: boolean }) {
  if (job.running) return <Running job={job} />;
  return (
    <>
      {job.error !== '' && (
        <p className="field-error" role="alert">
          <Lines text={translated(job.error)} />
        </p>
      )}
      {job.report !== null && <Report report={job.report} brief={brief} />}
    </>
  );
}

function Running({ job: { progress } }: { job: ImportJob }) {
  const weft = useWeft();
  const label =
    progress.total === 0
      ? t('import.looking')
      : t('import.progress', { read: count(progress.read), total: count(progress.total) });
  return (
    <div className="import-running">
      <progress
        className="import-bar"
        aria-label={label}
        value={progress.bytes}
        max={Math.max(progress.of, 1)}
      />
      <p className="import-state" role="status">
        <span className="tabular">{label}</span>
        {progress.of > 0 && (
          <span className="quiet-text tabular">
            {t('import.bytes', { read: bytes(progress.bytes), total: bytes(progress.of) })}
          </span>
        )}
        <span className="import-state-title quiet-text truncate">{oneLine(progress.title)}</span>
      </p>
      <button type="button" className="button" onClick={() => void cancelImport(weft)}>
        {t('cancel')}
      </button>
    </div>
  );
}

function Report({ report, brief }: { report: ConversationsReport; brief: boolean }) {
  const told = report.programs.filter((program) => all(program) > 0);
  const refused = report.problems.filter((problem) => problem.refused);
  const notes = report.problems.filter((problem) => !problem.refused);
  return (
    <div className="import-report" role="status">
      {report.canceled && <p>{t('import.canceled')}</p>}
      {told.length === 0 && !report.canceled && <p className="quiet-text">{t('import.nothing')}</p>}
      <ul className="import-counts">
        {told.map((program) => (
          <li key={program.id}>
            <span>{program.name}</span>
            <span className="quiet-text">{countsOf(program)}</span>
          </li>
        ))}
      </ul>
      {!brief && <Problems title={t('import.refusedTitle')} problems={refused} more={report.more} />}
      {!brief && <Problems title={t('import.notesTitle')} problems={notes} more={0} />}
    </div>
  );
}

function all(program: ProgramReport): number {
  const { imported, updated, known, deleted, empty, refused } = program;
  return imported + updated + known + deleted + empty + refused;
}

function countsOf({ imported, branches, updated, known, deleted, empty, refused }: ProgramReport): string {
  const parts = [t('import.imported', { count: imported })];
  if (branches > 0) parts.push(t('import.branches', { count: branches }));
  if (updated > 0) parts.push(t('import.updated', { count: updated }));
  if (known > 0) parts.push(t('import.known', { count: known }));
  if (deleted > 0) parts.push(t('import.deletedCount', { count: deleted }));
  if (empty > 0) parts.push(t('import.empty', { count: empty }));
  if (refused > 0) parts.push(t('import.refused', { count: refused }));
  return joinFacts(parts);
}

function Problems({
  title,
  problems,
  more,
}: {
  title: string;
  problems: readonly ImportProblem[];
  more: number;
}) {
  if (problems.length === 0) return null;
  return (
    <details className="import-problems">
      <summary>
        {title} ({count(problems.length + more)})
      </summary>
      <ul>
        {problems.map((problem, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the list never changes
          <Problem key={i} problem={problem} />
        ))}
      </ul>
      {more > 0 && <p className="quiet-text">{t('import.more', { count: more })}</p>}
    </details>
  );
}

function Problem({ problem }: { problem: ImportProblem }) {
  const weft = useWeft();
  const Icon = problem.refused ? CircleAlert : Info;
  return (
    <li className="import-problem" data-refused={problem.refused || undefined}>
      <Icon size={14} aria-hidden />
      <div>
        <p>
          <Lines text={translated(problem.message)} />
        </p>
        {problem.spaceId === '' ? (
          <p className="mono import-path">{oneLine(problem.path)}</p>
        ) : (
          <button type="button" className="text-button" onClick={() => weft.select(problem.spaceId)}>
            {oneLine(problem.title) || t('import.untitled')}
          </button>
        )}
      </div>
    </li>
  );
}
