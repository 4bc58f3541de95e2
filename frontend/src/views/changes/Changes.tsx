import {
  ArrowLeft,
  Check,
  Columns2,
  FileDiff,
  GitCommitHorizontal,
  Info,
  Redo2,
  Rows3,
  Undo2,
  X,
} from 'lucide-react';
import { useCallback, useEffect, useRef, useState } from 'react';
import { VList } from 'virtua';
import { t } from '../../i18n';
import { translated } from '../../i18n/said';
import { isTyping, matches } from '../../keyboard/actions';
import { keyOf } from '../../keyboard/layout';
import { useDiff } from '../../queries/changes';
import { useAccepted } from '../../queries/commits';
import { promptText } from '../../state/promptText';
import { readKept, writeKept } from '../../state/ui';
import { useWeft } from '../../state/weft';
import type { ChangedFile } from '../../transport/api';
import { Counts } from '../diff/Counts';
import { afterDialogs } from '../parts/afterDialogs';
import { oneLine } from '../parts/clean';
import { firstClick } from '../parts/firstClick';
import { Keys } from '../parts/Keys';
import { Lines } from '../parts/Lines';
import { clock, exact } from '../parts/numbers';
import { usePanelFocus } from '../parts/usePanelFocus';
import { AcceptedFiles, AcceptedPane } from './Accepted';
import { DiffPane } from './DiffPane';
import { FileRow } from './FileRow';
import { type Decision, useChanges, wholeFile } from './useChanges';
import './changes.css';

const manyFiles = 100;

/** Files that the agent changed, to accept or reject. */
export function Changes({ spaceId }: { spaceId: string }) {
  const weft = useWeft();
  const { changes, error, left, decide, redo, reopen, undo, dismiss } = useChanges(spaceId);
  const [chosen, setChosen] = useState<number | null>(null);
  const [{ wanted, gone }, setAt] = useState({ wanted: 0, gone: 0 });
  /** Makes a hunk the current one and scrolls to it even if it already was. */
  const setCurrent = useCallback(
    (hunk: number) => setAt((was) => ({ wanted: hunk, gone: was.gone + 1 })),
    [],
  );
  const [split, setSplit] = useState(() => readKept().changesSplit);
  const panel = useRef<HTMLElement>(null);
  const next = useRef<HTMLButtonElement>(null);
  const atNext = useRef(false);
  const files = changes?.files ?? [];
  const accepted = useAccepted(spaceId);
  const [keptPath, setKept] = useState<string | null>(null);
  const kept = accepted.find(({ path }) => path === keptPath);
  const file = kept === undefined ? files.find(({ id }) => id === chosen) : undefined;
  const chooseAccepted = (path: string) => setKept((now) => (now === path ? null : path));
  useNextFile(changes === null ? null : files, chosen, setChosen, setCurrent);
  const { diff, error: diffError } = useDiff(spaceId, file);
  // A mere rename is decided as a whole.
  const hunks = file?.what === 'renamed' ? [] : (diff?.hunks ?? []);
  // A decided hunk gives way to the next one.
  const current = Math.max(0, Math.min(wanted, hunks.length - 1));

  usePanelFocus(() => panel.current);
  const none = changes !== null && files.length === 0;
  const committable = none && accepted.length > 0;
  // When nothing is left to decide, committing comes next.
  useEffect(
    () =>
      afterDialogs(() => {
        const { activeElement, body } = document;
        if (committable && activeElement === panel.current) next.current?.focus({ preventScroll: true });
        // The button disappears when new changes arrive.
        if (!none && atNext.current && activeElement === body) panel.current?.focus({ preventScroll: true });
        atNext.current = none && document.activeElement === next.current;
      }),
    [none, committable],
  );

  const open = useCallback(
    (one: ChangedFile) => {
      setKept(null);
      setChosen((now) => (now === one.id ? null : one.id));
      setCurrent(0);
    },
    [setCurrent],
  );
  const decideFile = useCallback(
    (decision: Decision, one: ChangedFile) => void decide(decision, wholeFile(one)),
    [decide],
  );
  const decideHunk = (decision: Decision, hunk: number) => {
    if (diff === null) return;
    if (decision === 'reject' && (diff.stuck !== '' || hunks[hunk]?.conflict === true)) return;
    void decide(decision, [{ id: diff.id, version: diff.version, hunks: [hunk] }]);
    panel.current?.focus({ preventScroll: true });
  };
  const toggleSplit = () => {
    writeKept({ changesSplit: !split });
    setSplit(!split);
  };
  const step = (by: 1 | -1) => {
    setKept(null);
    const at = files.findIndex(({ id }) => id === chosen);
    const next = current + by;
    if (at >= 0 && next >= 0 && next < hunks.length) {
      setCurrent(next);
      return;
    }
    const beside = files[at + by];
    if (beside === undefined) {
      setCurrent(current);
      return;
    }
    setChosen(beside.id);
    setCurrent(by > 0 ? 0 : Number.MAX_SAFE_INTEGER);
  };
  const commit = () => weft.dialogs.set({ commit: { spaceId, prompt: promptText(weft.opened(spaceId)) } });
  const onKeyDown = (event: React.KeyboardEvent) => {
    if (matches(event, 'mod+z') && !isTyping(event.target) && undo()) {
      event.preventDefault();
      event.stopPropagation();
      return;
    }
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
    const key = keyOf(event);
    const decision = key === 'a' ? 'accept' : key === 'r' ? 'reject' : null;
    if (key === 'j') step(1);
    else if (key === 'k') step(-1);
    else if (key === 's') toggleSplit();
    else if (key === 'c' && changes !== null) commit();
    else if (decision !== null && file !== undefined && (event.shiftKey || hunks.length === 0))
      decideFile(decision, file);
    else if (decision !== null && file !== undefined) decideHunk(decision, current);
    else if (event.key === 'Enter' && event.target === panel.current && file === undefined) step(1);
    else if (event.key === 'Escape') weft.togglePanel('changes');
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const row = (one: ChangedFile) => (
    <FileRow key={one.id} file={one} open={one.id === chosen} onOpen={open} onDecide={decideFile} />
  );
  return (
    <section
      ref={panel}
      className="changes"
      aria-label={t('changes.title')}
      tabIndex={-1}
      onKeyDown={onKeyDown}
    >
      <Head
        files={files}
        split={split}
        onSplit={toggleSplit}
        onCommit={commit}
        onAll={(decision) => {
          void decide(decision, files.flatMap(wholeFile));
          panel.current?.focus({ preventScroll: true });
        }}
      />
      {changes !== null && changes.coverage !== '' && files.length > 0 && (
        <p className="change-coverage">
          <Info size={13} aria-hidden />
          {translated(changes.coverage)}
        </p>
      )}
      {changes?.last != null && (
        <p className="change-last" role="status">
          <span>
            {changes.last.changes > 0
              ? t('changes.rejected', { count: changes.last.changes })
              : t('changes.restored', { count: changes.last.files })}
          </span>
          <time className="quiet-text tabular" title={exact(changes.last.at)}>
            {clock(changes.last.at)}
          </time>
          <span className="grow" />
          <button
            type="button"
            className="text-button"
            onClick={() => {
              if (changes.last !== null) void redo(changes.last.turn);
              panel.current?.focus({ preventScroll: true });
            }}
          >
            <Redo2 size={12} aria-hidden />
            {t('changes.takeBack')}
          </button>
        </p>
      )}
      {left !== null && <SkippedFiles left={left} onDismiss={dismiss} />}
      {error !== '' && (
        <p className="change-message" role="alert">
          <Lines text={error} />
        </p>
      )}
      {changes === null && error === '' && (
        <p className="change-message quiet-text delayed">{t('loading')}</p>
      )}
      {none && (
        <div className="change-empty">
          <FileDiff size={20} aria-hidden />
          <h3>{t('changes.empty')}</h3>
          <p>{changes.watching ? t('changes.watching') : t('changes.emptyNote')}</p>
          {changes.coverage !== '' && <p>{translated(changes.coverage)}</p>}
          {/* It doesn't disappear under the focus once all are committed. */}
          {(committable || atNext.current) && (
            <button ref={next} type="button" className="button" onClick={commit}>
              <GitCommitHorizontal size={14} aria-hidden />
              {t('action.commit')}
            </button>
          )}
        </div>
      )}
      {files.length > 0 && (
        <div className="change-files" data-shrunk={file !== undefined || kept !== undefined || undefined}>
          <h3 className="change-heading">{t('changes.files')}</h3>
          {files.length > manyFiles ? (
            <VList className="change-many" data={files}>
              {row}
            </VList>
          ) : (
            files.map(row)
          )}
        </div>
      )}
      {accepted.length > 0 && (
        <AcceptedFiles
          files={accepted}
          chosen={kept}
          onChoose={chooseAccepted}
          onReopen={(path) => {
            void reopen([path]);
            panel.current?.focus({ preventScroll: true });
          }}
        />
      )}
      {kept !== undefined && <AcceptedPane spaceId={spaceId} file={kept} split={split} />}
      {file !== undefined && (
        <DiffPane
          diff={diff}
          file={file}
          error={diffError}
          spaceId={spaceId}
          split={split}
          current={current}
          gone={gone}
          onCurrent={setCurrent}
          onDecide={decideHunk}
        />
      )}
      {files.length > 0 && <ShortcutHints />}
      <p className="visually-hidden" role="status">
        {file !== undefined && hunks.length > 0
          ? t('labeled', {
              label: oneLine(file.path),
              text: t('changes.hunkAt', {
                n: current + 1,
                of: hunks.length,
                line: hunks[current]?.newStart ?? 0,
              }),
            })
          : ''}
      </p>
    </section>
  );
}

/** Opens the first file initially, and the next one when a file has been decided. */
function useNextFile(
  files: readonly ChangedFile[] | null,
  chosen: number | null,
  choose: (id: number | null) => void,
  setCurrent: (hunk: number) => void,
) {
  const before = useRef<readonly ChangedFile[] | null>(null);
  useEffect(() => {
    if (files === null) return;
    const was = before.current;
    before.current = files;
    if (was === null || was.length === 0) {
      if (chosen === null && files[0] !== undefined) choose(files[0].id);
      return;
    }
    if (chosen === null || files.some(({ id }) => id === chosen)) return;
    // The next remaining file after it, otherwise the last one.
    const at = was.findIndex(({ id }) => id === chosen);
    const left = was.slice(at + 1).find(({ id }) => files.some((one) => one.id === id));
    choose(left?.id ?? files.at(-1)?.id ?? null);
    setCurrent(0);
  });
}

function Head({
  files,
  split,
  onSplit,
  onCommit,
  onAll,
}: {
  files: readonly ChangedFile[];
  split: boolean;
  onSplit(): void;
  onCommit(): void;
  onAll(decision: Decision): void;
}) {
  const weft = useWeft();
  const layout = split ? t('changes.unified') : t('changes.sideBySide');
  const sum = (of: 'added' | 'removed') => files.reduce((n, file) => n + file[of], 0);
  return (
    <header className="log-head">
      <button type="button" className="button plain changes-back" onClick={() => weft.togglePanel('changes')}>
        <ArrowLeft size={14} aria-hidden />
        {t('changes.back')}
      </button>
      <h2>{t('changes.title')}</h2>
      <span className="change-total">
        <Counts added={sum('added')} removed={sum('removed')} />
      </span>
      <span className="grow" />
      {files.length > 0 && (
        <>
          <button type="button" className="button plain change-all" onClick={() => onAll('accept')}>
            <Check size={14} aria-hidden />
            {t('changes.acceptAll')}
          </button>
          <button type="button" className="button plain change-all" onClick={() => onAll('reject')}>
            <Undo2 size={14} aria-hidden />
            {t('changes.rejectAll')}
          </button>
          <button
            type="button"
            className="button plain change-all change-commit"
            aria-label={t('action.commit')}
            title={t('action.commit')}
            // The second click of a double click that opened the panel is not for what appeared under it.
            onClick={firstClick(onCommit)}
          >
            <GitCommitHorizontal size={14} aria-hidden />
            <span>{t('changes.commit')}</span>
          </button>
          <button type="button" className="icon-button" aria-label={layout} title={layout} onClick={onSplit}>
            {split ? <Rows3 size={15} aria-hidden /> : <Columns2 size={15} aria-hidden />}
          </button>
        </>
      )}
      <button
        type="button"
        className="icon-button changes-close"
        aria-label={t('changes.close')}
        title={t('changes.close')}
        onClick={() => weft.togglePanel('changes')}
      >
        <X size={16} aria-hidden />
      </button>
    </header>
  );
}

/** What a decision did not change, and why. */
function SkippedFiles({
  left,
  onDismiss,
}: {
  left: readonly { path: string; message: string }[];
  onDismiss(): void;
}) {
  return (
    <div className="change-left" role="status">
      <ul aria-label={t('changes.left')}>
        {left.slice(0, 20).map(({ path, message }) => (
          <li key={path}>{oneLine(translated(message))}</li>
        ))}
      </ul>
      <button
        type="button"
        className="icon-button quiet"
        aria-label={t('changes.dismiss')}
        onClick={onDismiss}
      >
        <X size={13} aria-hidden />
      </button>
    </div>
  );
}

/** The keyboard shortcuts of the panel. */
function ShortcutHints() {
  const keys: [string, string][] = [
    ['j+k', t('changes.move')],
    ['a', t('changes.accept')],
    ['r', t('changes.reject')],
    ['s', t('changes.sideBySide')],
    ['c', t('changes.commit')],
    ['mod+z', t('changes.takeBack')],
  ];
  return (
    <footer className="change-keys">
      {keys.map(([key, what]) => (
        <span key={key}>
          <Keys keys={key} /> {what}
        </span>
      ))}
    </footer>
  );
}
