import { type RefObject, useEffect, useId, useMemo, useRef } from 'react';
import { Virtualizer, type VirtualizerHandle } from 'virtua';
import { t } from '../../i18n';
import type { InboxItem, InboxKind } from '../../state/inbox';
import { useMinutes } from '../parts/useNow';
import { InboxItemLines } from './InboxItemLines';

type Line = { head: InboxKind; count: number } | { entry: InboxItem; index: number };

interface InboxListProps {
  list: readonly InboxItem[];
  index: number;
  box: RefObject<HTMLDivElement | null>;
  onChoose(entry: InboxItem): void;
  onOpen(entry: InboxItem): void;
}

/** All inbox items as a virtual list. */
export function InboxList({ list, index, box, onChoose, onOpen }: InboxListProps) {
  const id = useId();
  const now = useMinutes();
  const handle = useRef<VirtualizerHandle>(null);
  const lines = useMemo(() => linesOf(list), [list]);
  const at = lines.findIndex((line) => 'entry' in line && line.index === index);
  useEffect(() => {
    if (at < 0) return;
    // Include the heading above the first entry.
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
            // biome-ignore lint/a11y/useKeyWithClickEvents: the list handles keys
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
              <InboxItemLines of={line.entry} now={now} />
            </div>
          )
        }
      </Virtualizer>
    </div>
  );
}

/** The entries, with a heading before each group. */
function linesOf(list: readonly InboxItem[]): Line[] {
  const counts = new Map<InboxKind, number>();
  for (const { kind } of list) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return list.flatMap((entry, index): Line[] => {
    const line = { entry, index };
    const { kind } = entry;
    return list[index - 1]?.kind === kind ? [line] : [{ head: kind, count: counts.get(kind) ?? 0 }, line];
  });
}
