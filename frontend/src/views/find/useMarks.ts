import { type RefObject, useEffect, useRef } from 'react';
import { FrameJob } from '../../state/frame';
import { fits, folded } from './fold';
import { type Found, live, matchesWithin } from './ranges';
import type { Spot, SpotMark } from './spot';

/** Names in find.css. */
const all = 'find';
const current = 'find-now';
/** How well what is around a match has to fit. */
const enough = 0.5;

export interface Marks {
  /** The match of a mark in what is drawn inside of elements; null where it is not drawn. */
  find(roots: Iterable<Element>, mark: SpotMark): Range | null;
  /** Marks the match that the user is at. When it is drawn again, `find` looks for it. */
  setNow(range: Range | null, find?: () => Range | null): void;
  /** Marks what is drawn again, before the next paint. */
  refresh(): void;
  /** Marks nothing any more, at once. */
  clear(): void;
}

/** Marks what is looked for in all that is drawn of a transcript, and keeps that up to date as its rows come, go and grow. */
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
      // What was gone to is a match of the text before.
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
      let how = enough;
      for (const one of found) {
        const well = fits(one.before, one.after, around);
        if (well <= how) continue;
        best = one;
        how = well;
      }
      return best === null ? null : live(best.range);
    },
  };
}
