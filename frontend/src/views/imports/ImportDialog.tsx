import { Dialog } from '@base-ui/react/dialog';
import { CircleAlert, MessageSquareText, X } from 'lucide-react';
import { useRef, useState } from 'react';
import { asCommandError } from '../../commands/failure';
import { type ImportedConversation, type ImportReport, importFile } from '../../commands/spaces';
import { t } from '../../i18n';
import { joinFacts } from '../../i18n/formats';
import { translated } from '../../i18n/said';
import { useStore } from '../../state/store';
import { useWeft } from '../../state/weft';
import { oneLine } from '../parts/clean';
import { inactiveWhile } from '../parts/inactiveWhile';
import { Lines } from '../parts/Lines';
import './imports.css';

interface Done {
  file: string;
  report: ImportReport | null;
  error: string;
}

/** Imports conversations that other programs exported, and reports the result for each. */
export function ImportDialog() {
  const weft = useWeft();
  const open = useStore(weft.dialogs, (state) => state.open === 'import');
  return (
    <Dialog.Root open={open} onOpenChange={(next) => weft.open(next ? 'import' : null)}>
      <Dialog.Portal>
        <Dialog.Backdrop className="backdrop" />
        <Dialog.Popup className="dialog import-dialog">
          <div className="dialog-head">
            <Dialog.Title className="dialog-title">{t('import.title')}</Dialog.Title>
            <Dialog.Close className="icon-button" aria-label={t('close')} title={t('close')}>
              <X size={16} aria-hidden />
            </Dialog.Close>
          </div>
          {open && <Files />}
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

function Files() {
  const picker = useRef<HTMLInputElement>(null);
  const [busy, setBusy] = useState('');
  const [done, setDone] = useState<readonly Done[]>([]);
  const take = async (files: readonly File[]) => {
    setDone([]);
    for (const file of files) {
      setBusy(file.name);
      let one: Done;
      try {
        one = { file: file.name, report: await importFile(file.name, file), error: '' };
      } catch (failure) {
        one = { file: file.name, report: null, error: asCommandError(failure).message };
      }
      setDone((before) => [...before, one]);
    }
    setBusy('');
  };
  return (
    <>
      <p className="quiet-text">{t('import.about')}</p>
      <input
        ref={picker}
        type="file"
        className="import-picker"
        aria-label={t('import.choose')}
        tabIndex={-1}
        multiple
        accept=".json,.jsonl,.ndjson,application/json"
        onChange={(event) => {
          const files = [...(event.target.files ?? [])];
          event.target.value = '';
          if (files.length > 0) void take(files);
        }}
      />
      <div className="import-done" role="status" aria-busy={busy !== ''}>
        {done.map(({ file, report, error }) => (
          <section key={file} aria-label={oneLine(file)}>
            <h3 className="import-file">
              <span className="mono">{oneLine(file)}</span>
              {report !== null && <span className="quiet-text">{summary(report)}</span>}
            </h3>
            {error !== '' && (
              <p className="import-fault">
                <Lines text={error} />
              </p>
            )}
            <ul>
              {report?.conversations.map((one, i) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: the list never changes
                <Conversation key={i} one={one} />
              ))}
            </ul>
          </section>
        ))}
        {busy !== '' && <p className="quiet-text">{t('import.busy', { file: oneLine(busy) })}</p>}
      </div>
      <div className="dialog-foot">
        <button
          type="button"
          className="button"
          {...inactiveWhile(busy !== '')}
          onClick={() => picker.current?.click()}
        >
          {t('import.choose')}
        </button>
      </div>
    </>
  );
}

function summary({ imported, known, refused }: ImportReport): string {
  const parts = [t('import.imported', { count: imported })];
  if (known > 0) parts.push(t('import.known', { count: known }));
  if (refused > 0) parts.push(t('import.refused', { count: refused }));
  return joinFacts(parts);
}

function Conversation({ one }: { one: ImportedConversation }) {
  const weft = useWeft();
  const title = oneLine(one.title) || t('import.untitled');
  return (
    <li className="import-one">
      {one.spaceId !== '' ? (
        <button
          type="button"
          className="import-row"
          onClick={() => {
            weft.open(null);
            weft.select(one.spaceId);
          }}
        >
          <MessageSquareText size={15} aria-hidden />
          <span dir="auto" className="import-name truncate">
            {title}
          </span>
          <span className="quiet-text">
            {one.state === 'known' ? t('import.before') : t('import.messages', { count: one.messages })}
          </span>
        </button>
      ) : (
        <div className="import-row">
          <CircleAlert size={15} className="import-fault" aria-hidden />
          <span dir="auto" className="import-name truncate">
            {title}
          </span>
          <span className="import-fault">{t('import.not')}</span>
        </div>
      )}
      {one.faults.map((fault) => (
        <p key={`${fault.line} ${fault.place} ${fault.message}`} className="import-note import-fault">
          <Lines
            text={t('labeled', {
              label: joinFacts(
                [t('import.line', { line: fault.line }), fault.place].filter((part) => part !== ''),
              ),
              text: translated(fault.message),
            })}
          />
        </p>
      ))}
      {one.notes.map((note) => (
        <p key={note} className="import-note quiet-text">
          <Lines text={translated(note)} />
        </p>
      ))}
    </li>
  );
}
