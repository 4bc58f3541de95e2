import { FileQuestion, FileX, FolderX } from 'lucide-react';
import { type ReactNode, useEffect, useState } from 'react';
import { asCommandError, type CommandError } from '../../commands/failure';
import { spaceImage } from '../../commands/places';
import { readSpaceFile } from '../../commands/spaces';
import { t } from '../../i18n';
import type { Preview } from '../../state/shown';
import { useStore } from '../../state/store';
import { useWeft } from '../../state/weft';
import type { FileView } from '../../transport/api';
import { FileLines } from '../follow/FileLines';
import { lines } from '../parts/clean';
import { bytes } from '../parts/numbers';
import { FileWindow } from './FileWindow';

/** The content of a file: its lines, its image, or why there is nothing to show. */
export function FileContent({ preview, name }: { preview: Preview; name: string }) {
  const { spaceId, path } = preview;
  const [line, setLine] = useState(preview.line);
  // The line around which a large file is loaded; the highlighted one stays.
  const [around, setAround] = useState(preview.line);
  const { view, error, again } = useFile(spaceId, path, around);
  if (error !== null) return <Problem error={error} onAgain={again} />;
  if (view === null) {
    return (
      <p className="side-note delayed" role="status">
        {t('preview.loading')}
      </p>
    );
  }
  if (view.image !== '') return <Picture spaceId={spaceId} path={path} name={name} size={view.size} />;
  if (view.binary) {
    return (
      <None icon={<FileX size={20} aria-hidden />} title={t('preview.binary')}>
        {t('preview.binaryNote', { size: bytes(view.size) })}
      </None>
    );
  }
  if (view.size === 0) {
    return (
      <None icon={<FileQuestion size={20} aria-hidden />} title={t('preview.empty')}>
        {t('preview.emptyNote')}
      </None>
    );
  }
  return (
    <div className="file-side">
      {view.lines < view.total && (
        <FileWindow
          view={view}
          onRead={setAround}
          onGo={(next) => {
            setLine(next);
            setAround(next);
          }}
        />
      )}
      <FileLines
        key={`${view.from} ${line}`}
        path={path}
        line={line}
        to={line}
        view={view}
        name={name}
        centered
      />
    </div>
  );
}

interface File {
  view: FileView | null;
  error: CommandError | null;
  again(): void;
}

/** A file around a line, reloaded when files of the space have changed. */
function useFile(spaceId: string, path: string, line: number): File {
  const weft = useWeft();
  const changed = useStore(weft.server, (state) => state.changes[spaceId]);
  const [read, setRead] = useState<{ view: FileView | null; error: CommandError | null }>();
  const [attempt, setAttempt] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: reload when a change is reported
  useEffect(() => {
    let wanted = true;
    readSpaceFile(weft, spaceId, path, line).then(
      (view) => {
        // Unchanged text keeps its identity, and its selection.
        if (wanted) setRead((before) => (same(before?.view, view) ? before : { view, error: null }));
      },
      (failure: unknown) => wanted && setRead({ view: null, error: asCommandError(failure) }),
    );
    return () => {
      wanted = false;
    };
  }, [weft, spaceId, path, line, changed, attempt]);
  return {
    view: read?.view ?? null,
    error: read?.error ?? null,
    again: () => setAttempt(attempt + 1),
  };
}

function same(a: FileView | null | undefined, b: FileView): boolean {
  return a != null && a.text === b.text && a.from === b.from && a.size === b.size && a.total === b.total;
}

function Problem({ error, onAgain }: { error: CommandError; onAgain(): void }) {
  const [title, note] = wordsOf(error);
  return (
    <None
      icon={
        error.code === 'is_directory' ? <FolderX size={20} aria-hidden /> : <FileX size={20} aria-hidden />
      }
      title={title}
      alert
      action={
        <button type="button" className="text-button" onClick={onAgain}>
          {t('again')}
        </button>
      }
    >
      {note}
    </None>
  );
}

function wordsOf({ code, message }: CommandError): [title: string, note: string] {
  switch (code) {
    case 'not_found':
      return [t('preview.missing'), t('preview.missingNote')];
    case 'outside':
      return [t('preview.outside'), t('preview.outsideNote')];
    case 'is_directory':
      return [t('preview.folder'), t('preview.folderNote')];
    case 'too_large':
      return [t('preview.tooLarge'), lines(message)];
    case 'not_text':
      return [t('preview.special'), lines(message)];
    case 'not_image':
      return [t('preview.imageFailed'), lines(message)];
    default:
      return [t('preview.failed'), lines(message)];
  }
}

function None({
  icon,
  title,
  alert = false,
  action,
  children,
}: {
  icon: ReactNode;
  title: string;
  alert?: boolean;
  action?: ReactNode;
  children: ReactNode;
}) {
  return (
    <div className="file-none" role={alert ? 'alert' : undefined}>
      {icon}
      <h3>{title}</h3>
      <p>{children}</p>
      {action}
    </div>
  );
}

function Picture({
  spaceId,
  path,
  name,
  size,
}: {
  spaceId: string;
  path: string;
  name: string;
  size: number;
}) {
  const weft = useWeft();
  const [read, setRead] = useState<{ src: string } | { error: CommandError }>();
  const [attempt, setAttempt] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: reload for another attempt or size
  useEffect(() => {
    let wanted = true;
    spaceImage(weft, spaceId, path).then(
      (src) => wanted && setRead({ src }),
      (failure: unknown) => wanted && setRead({ error: asCommandError(failure) }),
    );
    return () => {
      wanted = false;
    };
  }, [weft, spaceId, path, size, attempt]);
  if (read !== undefined && 'error' in read)
    return <Problem error={read.error} onAgain={() => setAttempt(attempt + 1)} />;
  return (
    <div className="file-image">
      {read !== undefined && <img src={read.src} alt={name} />}
      <p className="quiet-text">{t('preview.image', { path: name, size: bytes(size) })}</p>
    </div>
  );
}
