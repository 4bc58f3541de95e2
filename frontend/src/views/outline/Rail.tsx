import { type RefObject, useLayoutEffect, useMemo, useState } from 'react';
import { t } from '../../i18n';
import { ticksOf } from '../../state/outline';
import type { Session } from '../../state/session';
import { useWeft } from '../../state/weft';
import type { OutlineEntry } from '../../transport/api';
import { count } from '../parts/numbers';
import { KindMark } from './KindMark';
import { goToEntry, useEntryAt, useOutline, useOwn, wordsOf } from './useOutline';
import './outline.css';

/** Smallest and largest height of a tick including spacing, in px. */
const least = 7;
const most = 16;
/** In a narrower conversation there is no space for the rail. */
const roomFor = 880;
/** Most entries in the preview of a tick. */
const previewed = 6;
/** The kinds with a tick; the panel lists the others, too. */
const ticked: readonly OutlineEntry['kind'][] = ['prompt', 'edit', 'failure', 'request', 'display', 'branch'];

/**
 * A tick per outline entry beside the conversation; neighbors share one if they don't fit. It is for the mouse: the
 * panel offers the same for the keyboard.
 */
export function Rail({ session, scroller }: { session: Session; scroller: RefObject<HTMLElement | null> }) {
  const size = useSize(scroller);
  if (size === null || size.width < roomFor || size.height < 200) return null;
  return <Ticks session={session} height={size.height} />;
}

function Ticks({ session, height }: { session: Session; height: number }) {
  const weft = useWeft();
  const outline = useOutline(session);
  const entries = useMemo(
    () => outline.entries.filter(({ kind }) => ticked.includes(kind)),
    [outline.entries],
  );
  const own = useOwn(session);
  const reads = useEntryAt(session, entries);
  const room = height - 96;
  const ticks = useMemo(() => ticksOf(entries, Math.floor(room / least)), [entries, room]);
  const [over, setOver] = useState<number | null>(null);
  if (entries.length < 2) return null;
  const each = Math.min(most, room / ticks.length);
  const shownTick = over === null ? undefined : ticks[over];
  return (
    <div className="rail" aria-hidden onMouseLeave={() => setOver(null)}>
      {ticks.map((tick, i) => (
        <button
          key={tick.from}
          type="button"
          tabIndex={-1}
          className="rail-tick"
          data-kind={tick.kind}
          data-reads={(tick.from <= reads && reads < tick.to) || undefined}
          style={{ height: each }}
          onMouseEnter={() => setOver(i)}
          onClick={() => {
            const entry = entries.slice(tick.from, tick.to).find(({ kind }) => kind === tick.kind);
            if (entry !== undefined) goToEntry(weft, session.spaceId, entry);
          }}
        />
      ))}
      {shownTick !== undefined && over !== null && (
        <div className="rail-preview" style={previewAt(over * each, ticks.length * each)}>
          {shownTick.to - shownTick.from > 1 && (
            <p className="rail-count">
              {t('outline.cluster', {
                count: shownTick.to - shownTick.from,
                n: count(shownTick.to - shownTick.from),
              })}
            </p>
          )}
          {entries
            .slice(shownTick.from, Math.min(shownTick.to, shownTick.from + previewed))
            .map((entry, i) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: the preview is recreated together
              <p key={i} className="rail-line">
                <KindMark kind={entry.kind} />
                <span>{wordsOf(entry, own)}</span>
              </p>
            ))}
        </div>
      )}
    </div>
  );
}

/** In the lower half the preview is above its tick, so that it stays in the window. */
function previewAt(top: number, height: number): React.CSSProperties {
  return top < height / 2 ? { top } : { bottom: Math.max(0, height - top - least) };
}

function useSize(of: RefObject<HTMLElement | null>): { width: number; height: number } | null {
  const [size, setSize] = useState<{ width: number; height: number } | null>(null);
  useLayoutEffect(() => {
    const element = of.current;
    if (element === null || typeof ResizeObserver === 'undefined') return;
    const observer = new ResizeObserver(([entry]) => {
      if (entry === undefined) return;
      const { width, height } = entry.contentRect;
      setSize({ width: Math.round(width), height: Math.round(height) });
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, [of]);
  return size;
}
