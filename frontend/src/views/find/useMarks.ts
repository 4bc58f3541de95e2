import { type RefObject, useEffect, useRef } from 'react';
import { FrameJob } from '../../state/frame';
import { contextScore, folded } from './fold';
import { type Found, liveRange, matchesWithin } from './ranges';
import type { Spot, SpotMark } from './spot';

/** Highlight names in find.css. */
const all = 'find';
const current = 'find-now';
/** Minimum score for the text around a match. */
const minScore = 0.5;

export interface Marks {
  /** Finds the match of a highlight in rendered elements; null if it isn't rendered. */
  find(roots: Iterable<Element>, mark: SpotMark): Range | null;
  /** Highlights the current match. After a re-render, `find` finds it again. */
  setNow(range: Range | null, find?: () => Range | null): void;
  /** Updates highlights after a re-render, before the next paint. */
  refresh(): void;
  /** Removes all highlights at once. */
  clear(): void;
}

/**
 * Highlights the query in all rendered parts of a transcript, and keeps the highlights up to date as rows are added,
 * removed and grow.
 */
export function useMarks(scroller: RefObject<HTMLElement | null>, spot: Spot): Marks {
  const marks = useRef<Marks | null>(null);
  marks.current ??= makeMarks(scroller, spot);
  const { refresh, clear, setNow } = marks.current;
  useEffect(() => {
    const element = scroller.current;
    if (element === null || !supported()) return;
    const observer = new MutationObserver(() => {
      if (spot.get().query !== '') refresh();
    });
    observer.observe(element, { childList: true, subtree: true, characterData: true });
    let { query } = spot.get();
    const stop = spot.subscribe(() => {
      const next = spot.get().query;
      if (next === query) return;
      query = next;
      // The current match belongs to the previous query.
      setNow(null);
      if (next === '') clear();
      else refresh();
    });
    refresh();
    return () => {
      observer.disconnect();
      stop();
      clear();
    };
  }, [scroller, spot, refresh, clear, setNow]);
  return marks.current;
}

function supported(): boolean {
  return typeof Highlight !== 'undefined' && typeof CSS !== 'undefined' && 'highlights' in CSS;
}

function makeMarks(scroller: RefObject<HTMLElement | null>, spot: Spot): Marks {
  let now: Range | null = null;
  let again = (): Range | null => null;
  const mark = (range: Range | null) => {
    now = range;
    if (range === null) {
      CSS.highlights.delete(current);
      return;
    }
    const highlight = new Highlight(range);
    highlight.priority = 1;
    CSS.highlights.set(current, highlight);
  };
  const draw = new FrameJob(() => {
    const element = scroller.current;
    if (element === null || !supported()) return;
    if (now === null || now.collapsed || !now.startContainer.isConnected) mark(again());
    const query = folded(spot.get().query);
    if (query === '') CSS.highlights.delete(all);
    else CSS.highlights.set(all, new Highlight(...matchesWithin([element], query).map(({ range }) => range)));
  });
  return {
    refresh: () => draw.ask(),
    setNow: (range, find = () => null) => {
      again = find;
      if (supported()) mark(range);
    },
    clear: () => {
      draw.cancel();
      again = () => null;
      now = null;
      if (!supported()) return;
      CSS.highlights.delete(all);
      CSS.highlights.delete(current);
    },
    find: (roots, { query, ...around }) => {
      const found = matchesWithin(roots, folded(query));
      let best: Found | null = null;
      let how = minScore;
      for (const one of found) {
        const well = contextScore(one.before, one.after, around);
        if (well <= how) continue;
        best = one;
        how = well;
      }
      return best === null ? null : liveRange(best.range);
    },
  };
}
