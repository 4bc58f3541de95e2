import { File, Folder } from 'lucide-react';
import { t } from '../../i18n';
import type { FileMatch } from '../../transport/api';
import { oneLine } from '../parts/clean';

/** A file in the list: its name and folder, with the matched part highlighted. */
export function FileEntry({ file }: { file: FileMatch }) {
  const points = Array.from(file.path);
  const end = file.dir ? points.length - 1 : points.length;
  const base = points.lastIndexOf('/', end - 1) + 1;
  const matched = new Set(file.at ?? []);
  const Icon = file.dir ? Folder : File;
  return (
    <>
      <Icon className="completion-icon" size={14} aria-hidden />
      <span className="completion-name truncate">
        <Marked points={points.slice(base)} from={base} matched={matched} />
      </span>
      <span className="completion-note completion-path truncate">
        <Marked points={points.slice(0, Math.max(0, base - 1))} from={0} matched={matched} />
      </span>
      {file.ignored && <span className="completion-tag">{t('completion.ignored')}</span>}
    </>
  );
}

interface Run {
  text: string;
  at: number;
  strong: boolean;
}

function Marked({
  points,
  from,
  matched,
}: {
  points: readonly string[];
  from: number;
  matched: ReadonlySet<number>;
}) {
  const runs: Run[] = [];
  for (const [i, point] of points.entries()) {
    const strong = matched.has(from + i);
    const last = runs.at(-1);
    if (last !== undefined && last.strong === strong) last.text += point;
    else runs.push({ text: point, at: i, strong });
  }
  return runs.map(({ text, at, strong }) =>
    strong ? <mark key={at}>{oneLine(text)}</mark> : <span key={at}>{oneLine(text)}</span>,
  );
}
