import { useEffect, useId, useMemo, useRef, useState } from 'react';
import { Virtualizer, type VirtualizerHandle } from 'virtua';
import { t } from '../../i18n';
import type { Session } from '../../state/session';
import { useWeft } from '../../state/weft';
import type { OutlineEntry } from '../../transport/api';
import { count, exact } from '../parts/numbers';
import { Side, SideNote } from '../shell/Side';
import { KindMark, kinds } from './KindMark';
import { goToEntry, useEntryAt, useOutline, useOwn, wordsOf } from './useOutline';
import './outline.css';

type Kind = OutlineEntry['kind'];

/** The outline of the whole conversation, including parts that aren't loaded. */
export function OutlinePanel({ session }: { session: Session }) {
  const weft = useWeft();
  const { entries, done, error, reload } = useOutline(session, true);
  const [only, setOnly] = useState<Kind | null>(null);
  const own = useOwn(session);
  const shown = useMemo(
    () => (only === null ? entries : entries.filter(({ kind }) => kind === only)),
    [entries, only],
  );
  const there = useMemo(() => new Set(entries.map(({ kind }) => kind)), [entries]);
  const reads = useEntryAt(session, shown);
  const list = useRef<VirtualizerHandle>(null);
  const box = useRef<HTMLDivElement>(null);
  /** The entry selected with the keyboard; null follows the reading position. */
  const [chosen, setChosen] = useState<number | null>(null);
  const id = useId();
  const at = Math.min(chosen ?? Math.max(reads, 0), shown.length - 1);
  useEffect(() => {
    if (at >= 0) list.current?.scrollToIndex(at, { align: 'nearest' });
  }, [at]);
  // The panel is focused when it is opened; the list takes the focus once it exists.
  const some = shown.length > 0;
  useEffect(() => {
    if (!some) return;
    const frame = requestAnimationFrame(() => {
      if (document.activeElement?.matches('.side') === true) box.current?.focus({ preventScroll: true });
    });
    return () => cancelAnimationFrame(frame);
  }, [some]);
  const choose = (to: number) => setChosen(Math.max(0, Math.min(shown.length - 1, to)));
  const go = (entry: OutlineEntry | undefined) => {
    setChosen(null);
    if (entry !== undefined) goToEntry(weft, session.spaceId, entry);
  };
  const steps: Record<string, number> = {
    ...{ ArrowDown: at + 1, ArrowUp: at - 1, PageDown: at + 10, PageUp: at - 10 },
    ...{ Home: 0, End: shown.length - 1 },
  };
  return (
    <Side title={t('outline.title')}>
      {there.size > 1 && (
        <div className="outline-filters" role="toolbar" aria-label={t('outline.filters')}>
          <Chip on={only === null} onClick={() => setOnly(null)}>
            {t('outline.all')}
          </Chip>
          {kinds
            .filter((kind) => there.has(kind))
            .map((kind) => (
              <Chip key={kind} on={only === kind} onClick={() => setOnly(only === kind ? null : kind)}>
                <KindMark kind={kind} />
                {t(`outline.kinds.${kind}`)}
              </Chip>
            ))}
        </div>
      )}
      {shown.length === 0 ? (
        error !== null || !done ? (
          <SideNote error={error?.message ?? null} onAgain={reload} />
        ) : (
          <p className="side-note">{entries.length === 0 ? t('outline.empty') : t('outline.noMatches')}</p>
        )
      ) : (
        <div
          ref={box}
          className="outline-list"
          role="listbox"
          aria-label={t('outline.title')}
          aria-activedescendant={at >= 0 ? `${id}-${at}` : undefined}
          tabIndex={0}
          onKeyDown={(event) => {
            const to = steps[event.key];
            if (event.altKey || event.ctrlKey || event.metaKey) return;
            if (to !== undefined) choose(to);
            else if (event.key === 'Enter' || event.key === ' ') go(shown[at]);
            else return;
            event.preventDefault();
            event.stopPropagation();
          }}
          onBlur={() => setChosen(null)}
        >
          <Virtualizer
            ref={list}
            data={shown}
            scrollRef={box}
            itemSize={30}
            keepMounted={at >= 0 ? [at] : []}
          >
            {(entry, i) => (
              // biome-ignore lint/a11y/useKeyWithClickEvents: the list handles keys
              <div
                key={`${entry.kind}:${entry.messageId}:${entry.segment}:${entry.item}:${i}`}
                id={`${id}-${i}`}
                className="outline-entry"
                role="option"
                tabIndex={-1}
                aria-selected={i === at}
                data-kind={entry.kind}
                data-reads={i === reads || undefined}
                title={entry.at > 0 ? `${entry.text}\n${exact(entry.at)}` : entry.text}
                onClick={() => go(entry)}
              >
                <KindMark kind={entry.kind} />
                <span className="visually-hidden">{t(`outline.kind.${entry.kind}`)}: </span>
                <span className="outline-text truncate">{wordsOf(entry, own)}</span>
                {entry.count > 1 && (
                  <span
                    className="outline-times tabular"
                    title={t('outline.times', { n: count(entry.count) })}
                  >
                    ×{count(entry.count)}
                  </span>
                )}
              </div>
            )}
          </Virtualizer>
        </div>
      )}
    </Side>
  );
}

function Chip({ on, onClick, children }: { on: boolean; onClick(): void; children: React.ReactNode }) {
  return (
    <button type="button" className="outline-chip" aria-pressed={on} onClick={onClick}>
      {children}
    </button>
  );
}
