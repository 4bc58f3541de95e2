import { useEffect, useRef } from 'react';
import { t } from '../../i18n';
import { toneOf } from '../../state/memberLook';
import { Monogram } from '../members/Monogram';
import { oneLine } from '../parts/clean';
import { FileEntry } from './FileEntry';
import type { FoundFiles } from './files';
import { type Completion, keyOfLine } from './useCompletion';
import './completion.css';

/** The completion list at the caret, above the composer; the field keeps the focus. */
export function CompletionList({
  completion,
  tones,
}: {
  completion: Completion;
  tones?: ReadonlyMap<string, number>;
}) {
  const { id, list, active, command, accept } = completion;
  const shown = useRef<HTMLDivElement>(null);
  const lines = list.map(keyOfLine).join('\n');
  // biome-ignore lint/correctness/useExhaustiveDependencies: run when the active line or the list changes
  useEffect(() => {
    shown.current?.scrollIntoView({ block: 'nearest' });
  }, [active, lines]);
  if (list.length > 0) {
    return (
      <div
        className="completion"
        id={id}
        role="listbox"
        aria-label={t('completion.label')}
        // Scrollable, so it must be focusable; the field still keeps the focus.
        tabIndex={0}
        onPointerDown={(event) => event.preventDefault()}
      >
        {list.map((entry, i) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the field handles keys
          <div
            key={keyOfLine(entry)}
            id={`${id}-${i}`}
            ref={i === active ? shown : null}
            role="option"
            tabIndex={-1}
            aria-selected={i === active}
            className="completion-entry"
            onPointerDown={(event) => event.preventDefault()}
            onClick={() => accept(i)}
          >
            {entry.file === undefined ? (
              <>
                {entry.member !== undefined && (
                  <Monogram
                    name={entry.member.name}
                    tone={tones?.get(entry.member.id) ?? toneOf(entry.member.id)}
                    small
                  />
                )}
                <span className="completion-name truncate">{oneLine(entry.name)}</span>
                <span className="completion-note truncate">{oneLine(entry.note)}</span>
              </>
            ) : (
              <FileEntry file={entry.file} />
            )}
          </div>
        ))}
      </div>
    );
  }
  if (completion.empty !== null) return <NoFiles found={completion.empty} />;
  if (command === null || (command.hint === '' && command.description === '')) return null;
  return (
    <p className="completion-hint">
      <span className="completion-name truncate">/{oneLine(command.name)}</span>{' '}
      {command.hint !== '' && <span className="completion-input truncate">{oneLine(command.hint)}</span>}
      <span className="completion-note truncate">{oneLine(command.description)}</span>
    </p>
  );
}

/** Explains why there are no files. While the folder is being read, only after a delay. */
function NoFiles({ found }: { found: FoundFiles }) {
  if (found.state === 'found' && found.query === '') return null;
  const words =
    found.state === 'loading'
      ? t('completion.reading')
      : found.state === 'failed'
        ? t('completion.failed')
        : t('completion.none', { query: oneLine(found.query) });
  return (
    <p
      className={
        found.state === 'loading' ? 'completion completion-empty late' : 'completion completion-empty'
      }
      role="status"
    >
      {words}
    </p>
  );
}
