import { useEffect, useRef } from 'react';
import { t } from '../../i18n';
import { oneLine } from '../parts/clean';
import type { Completion } from './useCompletion';
import './completion.css';

/** What can stand at the caret, above the composer; the field keeps the focus. */
export function CompletionList({ completion }: { completion: Completion }) {
  const { id, list, active, command, accept } = completion;
  const shown = useRef<HTMLDivElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another line is active
  useEffect(() => {
    shown.current?.scrollIntoView({ block: 'nearest' });
  }, [active]);
  if (list.length > 0) {
    return (
      <div className="completion" id={id} role="listbox" aria-label={t('completion.label')}>
        {list.map((entry, i) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are the field's
          <div
            key={entry.text}
            id={`${id}-${i}`}
            ref={i === active ? shown : null}
            role="option"
            tabIndex={-1}
            aria-selected={i === active}
            className="completion-entry"
            onPointerDown={(event) => event.preventDefault()}
            onClick={() => accept(i)}
          >
            <span className="completion-name">{oneLine(entry.name)}</span>
            <span className="completion-note">{oneLine(entry.note)}</span>
          </div>
        ))}
      </div>
    );
  }
  if (command === null || (command.hint === '' && command.description === '')) return null;
  return (
    <p className="completion-hint">
      <span className="completion-name">/{oneLine(command.name)}</span>{' '}
      {command.hint !== '' && <span className="completion-input">{oneLine(command.hint)}</span>}
      <span className="completion-note">{oneLine(command.description)}</span>
    </p>
  );
}
