import { Dialog } from '@base-ui/react/dialog';
import { X } from 'lucide-react';
import { type RefObject, useEffect, useId, useRef, useState } from 'react';
import {
  copyExport,
  type Exported,
  type ExportProgress,
  type ExportRequest,
  exportFile,
  wholeSpace,
} from '../../commands/exports';
import { asCommandError } from '../../commands/failure';
import { t } from '../../i18n';
import type { Exporting } from '../../state/dialogs';
import { say } from '../../state/notify';
import { useStore } from '../../state/store';
import { useWeft } from '../../state/weft';
import { inactiveWhile } from '../parts/inactiveWhile';
import { Lines } from '../parts/Lines';
import { Progress, Result } from './ExportState';
import { type Range, rangeOf } from './range';
import './exports.css';

type Format = ExportRequest['format'];

const formats: readonly Format[] = ['md', 'html', 'json', 'jsonl'];

/** Exports a conversation or a part of it, to a file or the clipboard. */
export function ExportDialog() {
  const weft = useWeft();
  const asked = useStore(weft.dialogs, (state) => state.exporting);
  const first = useRef<HTMLInputElement>(null);
  if (asked === null) return null;
  const close = () => weft.dialogs.set({ exporting: null });
  return (
    <Dialog.Root open onOpenChange={(open) => !open && close()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="backdrop" />
        <Dialog.Popup className="dialog export-dialog" initialFocus={first}>
          <div className="dialog-head">
            <Dialog.Title className="dialog-title">
              {asked.places === undefined
                ? t('export.title')
                : t('export.results', { count: asked.places.length })}
            </Dialog.Title>
            <Dialog.Close className="icon-button" aria-label={t('close')} title={t('close')}>
              <X size={16} aria-hidden />
            </Dialog.Close>
          </div>
          <Form asked={asked} first={first} onClose={close} />
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

interface FormProps {
  asked: Exporting;
  /** The initially selected format. */
  first: RefObject<HTMLInputElement | null>;
  onClose(): void;
}

function Form({ asked, first, onClose }: FormProps) {
  const weft = useWeft();
  const { spaceId, messageId, lastId } = asked;
  const ranges: readonly Range[] =
    messageId === '' ? [] : lastId === '' ? ['all', 'one', 'from', 'to'] : ['all', 'chosen'];
  const [format, setFormat] = useState<Format>('md');
  const [range, setRange] = useState<Range>(messageId === '' ? 'all' : lastId === '' ? 'one' : 'chosen');
  const [thoughts, setThoughts] = useState(true);
  const [branches, setBranches] = useState(false);
  const [progress, setProgress] = useState<ExportProgress | null>(null);
  const [result, setResult] = useState<Exported | null>(null);
  const [error, setError] = useState('');
  const stop = useRef<AbortController | null>(null);
  const start = useRef<HTMLButtonElement>(null);
  useEffect(() => () => stop.current?.abort(), []);
  const space = useStore(weft.server, (state) => state.spaces.find(({ id }) => id === spaceId));
  const hasTree = useStore(weft.server, ({ spaces }) =>
    spaces.some(({ id, treeId }) => id !== spaceId && treeId === space?.treeId),
  );
  const busy = progress !== null;
  const request = wholeSpace(spaceId, {
    format,
    thoughts,
    ...rangeOf(range, asked),
    branches: branches && range === 'all',
    ...(asked.places !== undefined && { places: [...asked.places] }),
  });
  const run = (work: (signal: AbortSignal) => Promise<void>) => {
    stop.current = new AbortController();
    const { signal } = stop.current;
    setError('');
    setResult(null);
    setProgress({ done: 0, total: 0, bytes: 0 });
    work(signal)
      .catch((failure: unknown) => {
        if (!signal.aborted) setError(asCommandError(failure).message);
      })
      .finally(() => setProgress(null));
  };
  const save = () => run(async (signal) => setResult(await exportFile(weft, request, signal, setProgress)));
  const copy = () =>
    run(async () => {
      const copied = await copyExport(weft, request);
      onClose();
      say(
        copied.secretsHidden > 0
          ? t('export.copiedHidden', { count: copied.secretsHidden })
          : t('export.copied'),
      );
    });
  const name = useId();
  return (
    <form
      className="form"
      onSubmit={(event) => {
        event.preventDefault();
        if (!busy) save();
      }}
    >
      <fieldset className="export-set">
        <legend>{t('export.format')}</legend>
        {formats.map((one) => (
          <div key={one} className="export-choice">
            <label className="check">
              <input
                ref={one === formats[0] ? first : undefined}
                type="radio"
                name={`${name}-format`}
                checked={format === one}
                aria-describedby={`${name}-${one}`}
                onChange={() => setFormat(one)}
              />
              {t(`export.formats.${one}`)}
            </label>
            <span className="quiet-text" id={`${name}-${one}`}>
              {t(`export.formatNotes.${one}`)}
            </span>
          </div>
        ))}
      </fieldset>
      {ranges.length > 0 && (
        <fieldset className="export-set">
          <legend>{t('export.range')}</legend>
          {ranges.map((one) => (
            <label key={one} className="check">
              <input
                type="radio"
                name={`${name}-range`}
                checked={range === one}
                onChange={() => setRange(one)}
              />
              {t(`export.ranges.${one}`)}
            </label>
          ))}
        </fieldset>
      )}
      <fieldset className="export-set">
        <legend>{t('export.include')}</legend>
        <label className="check">
          <input type="checkbox" checked={thoughts} onChange={(event) => setThoughts(event.target.checked)} />
          {t('export.thoughts')}
        </label>
        {hasTree && range === 'all' && (
          <label className="check">
            <input
              type="checkbox"
              checked={branches}
              onChange={(event) => setBranches(event.target.checked)}
            />
            {t('export.branches')}
          </label>
        )}
      </fieldset>
      <div className="export-state" role="status">
        {progress !== null && <Progress progress={progress} />}
        {result !== null && <Result result={result} />}
      </div>
      {error !== '' && (
        <p className="field-error" role="alert">
          <Lines text={error} />
        </p>
      )}
      <div className="dialog-foot">
        {busy && (
          <button
            type="button"
            className="button"
            onClick={() => {
              stop.current?.abort();
              start.current?.focus();
            }}
          >
            {t('cancel')}
          </button>
        )}
        {format === 'md' && (
          <button type="button" className="button" {...inactiveWhile(busy)} onClick={copy}>
            {t('export.copy')}
          </button>
        )}
        <button ref={start} type="submit" className="button primary" {...inactiveWhile(busy)}>
          {t('export.export')}
        </button>
      </div>
    </form>
  );
}
