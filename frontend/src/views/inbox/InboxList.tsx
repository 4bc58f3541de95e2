import { type RefObject, useEffect, useId, useMemo, useRef } from 'react';
import { Virtualizer, type VirtualizerHandle } from 'virtua';
import { t } from '../../i18n';
import type { InboxKind, Pending } from '../../state/inbox';
import { useMinutes } from '../parts/useNow';
import { PendingWords } from './PendingWords';

type Line = { head: InboxKind; count: number } | { entry: Pending; index: number };

interface InboxListProps {
  list: readonly Pending[];
  index: number;
  box: RefObject<HTMLDivElement | null>;
  onChoose(entry: Pending): void;
  onOpen(entry: Pending): void;
}

/** All that waits, as a list of which only what is in view is drawn. */
export function InboxList({ list, index, box, onChoose, onOpen }: InboxListProps) {
  const id = useId();
  const now = useMinutes();
  const handle = useRef<VirtualizerHandle>(null);
  const lines = useMemo(() => linesOf(list), [list]);
  const at = lines.findIndex((line) => 'entry' in line && line.index === index);
  useEffect(() => {
    if (at < 0) return;
    // The heading of the first entry comes with it.
    handle.current?.scrollToIndex(at === 1 ? 0 : at, { align: 'nearest' });
  }, [at]);
  return (
    <div
      ref={box}
      className="triage-list"
      role="listbox"
      aria-label={t('inbox.list')}
      aria-activedescendant={at < 0 ? undefined : `${id}-${index}`}
      tabIndex={0}
    >
      <Virtualizer
        ref={handle}
        data={lines}
        scrollRef={box}
        bufferSize={300}
        keepMounted={at < 0 ? [] : [at]}
      >
        {(line) =>
          'head' in line ? (
            <div key={line.head} className="triage-group" role="presentation">
              {t(`inbox.groups.${line.head}`)}
              <span className={line.head === 'request' ? 'inbox-count tabular' : 'quiet-text tabular'}>
                {line.count}
              </span>
            </div>
          ) : (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are those of the list
            <div
              key={line.entry.key}
              id={`${id}-${line.index}`}
              className="triage-row"
              role="option"
              tabIndex={-1}
              aria-selected={line.index === index}
              aria-setsize={list.length}
              aria-posinset={line.index + 1}
              onClick={() => {
                box.current?.focus({ preventScroll: true });
                onChoose(line.entry);
              }}
              onDoubleClick={() => onOpen(line.entry)}
            >
              <PendingWords of={line.entry} now={now} />
            </div>
          )
        }
      </Virtualizer>
    </div>
  );
}

/** The entries, and before each group its heading. */
function linesOf(list: readonly Pending[]): Line[] {
  const counts = new Map<InboxKind, number>();
  for (const { kind } of list) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return list.flatMap((entry, index): Line[] => {
    const line = { entry, index };
    const { kind } = entry;
    return list[index - 1]?.kind === kind ? [line] : [{ head: kind, count: counts.get(kind) ?? 0 }, line];
  });
}
