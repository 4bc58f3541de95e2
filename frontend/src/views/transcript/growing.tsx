import {
  type CSSProperties,
  createContext,
  type ReactNode,
  type Ref,
  type RefObject,
  useCallback,
  useContext,
  useLayoutEffect,
  useRef,
} from 'react';
import { flushSync } from 'react-dom';
import type { Row } from './rows';

// A streaming text grows with each frame. The list would measure its row, render, and lay out again for each of them.
// While the end is followed, the list keeps the row's first height: it is the last one, so nothing is positioned by its
// height, and it overflows the list at its end. ¶ The list's data must be consistent: a row that it believes to be
// above the view moves the view when it turns out to be higher. So scroll positions beyond the known height of that row
// are hidden from it.

/** The height in pixels that the list assumes for a new row. */
const least = 1;

/** How many rows at the end may be shown before they are measured: there is nothing below that they could cover. */
const free = 3;

/**
 * The end of the list: the growing row and how it is handled outside of React, so that no other row re-renders for it.
 */
export class ListEnd {
  /** Called after layout when the height of the growing row has changed. */
  grew: () => void = () => {};
  private rows = 0;
  private readonly held = new Map<number, HTMLElement>();
  /** Rows that were first rendered in the current render. */
  private readonly fresh = new Set<HTMLElement>();
  private watched: { row: HTMLElement; tell(view: number): boolean; leave(): void } | null = null;

  /**
   * Reports whether a row is at the end of the rendered ones, or about to be. If there are none, the view may be about
   * to go elsewhere.
   */
  isBehind(index: number): boolean {
    return this.rows > 0 && index >= this.rows - free;
  }

  /**
   * Call this before rendering rows that were added or removed at the start, with their new number, because the end
   * gets another index.
   */
  startMoves(rows: number): void {
    if (this.rows > 0) this.rows = rows;
  }

  /** Registers a mounted row; returns a function that unregisters it. */
  hold(index: number, row: HTMLElement): () => void {
    this.held.set(index, row);
    if (this.fresh.size === 0) queueMicrotask(() => this.fresh.clear());
    this.fresh.add(row);
    return () => {
      if (this.held.get(index) === row) this.held.delete(index);
    };
  }

  /** Reports whether all rows of a range are mounted. */
  holds(from: number, to: number): boolean {
    for (let index = from; index <= to; index++) if (!this.held.has(index)) return false;
    return true;
  }

  /** Call this after rendering rows, with the index of the growing one (-1 for none) and the number of rows. */
  moved(at: number, rows: number): void {
    this.rows = rows;
    const row = this.held.get(at) ?? null;
    if (row === (this.watched?.row ?? null)) return;
    this.leave();
    if (row !== null) this.watch(row);
  }

  /**
   * Reports the height of the growing row to the list if a view of that height doesn't show all of it; returns whether
   * it did.
   */
  readonly tell = (view: number): boolean => this.watched?.tell(view) ?? false;

  readonly leave = (): void => {
    this.watched?.leave();
    this.watched = null;
  };

  private watch(row: HTMLElement): void {
    const place = row.parentElement as HTMLElement;
    const { height, contain } = place.style;
    let told = Number.POSITIVE_INFINITY;
    let now = 0;
    const take = (height: number) => {
      told = height;
      place.style.height = `${height}px`;
      // Overflow of a box with layout containment can't be scrolled to.
      place.style.contain = 'style';
      place.dataset['grows'] = '';
    };
    // A new row is low: it was laid out once, and needn't be laid out again for the report.
    if (this.fresh.has(row)) take(least);
    const observer = new ResizeObserver(([entry]) => {
      now = entry?.contentRect.height ?? told;
      if (now < told) take(now);
      this.grew();
    });
    observer.observe(row);
    this.watched = {
      row,
      tell: (view) => {
        if (now - told < view / 2) return false;
        take(now);
        return true;
      },
      leave: () => {
        observer.disconnect();
        place.style.height = height;
        place.style.contain = contain;
        delete place.dataset['grows'];
      },
    };
  }
}

export const ListEndContext = createContext(new ListEnd());

/** The index of the row whose height the list need not know: the last one, while it grows and the end is followed. */
export function growingAt(rows: readonly Row[], follows: boolean): number {
  const last = rows.at(-1);
  return follows && last?.kind === 'prose' && last.cursor ? rows.length - 1 : -1;
}

interface ItemProps {
  style: CSSProperties;
  index: number;
  children: ReactNode;
  ref?: Ref<HTMLDivElement>;
}

/** Positions a row in the list, which measures what is around the row. */
export function Item({ style, index, children, ref }: ItemProps) {
  const end = useContext(ListEndContext);
  const row = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => (row.current === null ? undefined : end.hold(index, row.current)), [end, index]);
  // A row hidden until it is measured would get its styles twice.
  const own =
    style.visibility === 'hidden' && end.isBehind(index) ? { ...style, visibility: undefined } : style;
  return (
    <div ref={ref} style={own}>
      <div ref={row} className="list-row">
        {children}
      </div>
    </div>
  );
}

interface QuietEnd {
  frame: RefObject<HTMLElement | null>;
  scroller: RefObject<HTMLElement | null>;
  rows: readonly Row[];
  grows: boolean;
  tell: ListEnd['tell'];
  /** Reports whether the user may be scrolling. */
  byHand(): boolean;
  /** Called if the user scrolled and no other listener is informed. */
  scrolled: RefObject<() => void>;
  /** Reports whether all rows of a view at that offset, in pixels, are mounted. */
  filled(top: number): boolean;
}

/**
 * Hides scroll events from the list and its other listeners if the transcript only scrolled to its end because its last
 * row grew. If unmounted rows come into view, makes the list render them before the frame is painted; left to itself,
 * it may do so afterwards. Returns a function that must be called after scrolling to the end.
 */
export function useQuietEnd({
  frame,
  scroller,
  rows,
  grows,
  tell,
  byHand,
  scrolled,
  filled,
}: QuietEnd): () => void {
  const end = useRef({ at: -1, comes: false });
  const now = useRef({ rows, grows, measures: false });
  useLayoutEffect(() => {
    now.current.rows = rows;
    now.current.grows = grows;
  }, [rows, grows]);
  useLayoutEffect(() => {
    const element = frame.current;
    let told: readonly Row[] | null = null;
    let heard = 0;
    let telling = false;
    // In the capture phase, before other listeners.
    const listen = (event: Event) => {
      if (telling || event.target !== scroller.current || scroller.current === null) return;
      const { rows, grows, measures } = now.current;
      const { comes } = end.current;
      end.current.comes = false;
      const known = told === rows || measures;
      // Reading the position makes the browser flush other changes.
      if (grows && known && comes && filled(end.current.at) && !byHand()) {
        event.stopPropagation();
        return;
      }
      const top = scroller.current.scrollTop;
      const full = filled(top);
      const quiet = full && (measures || (grows && (known || tell(scroller.current.clientHeight))));
      if (!quiet || top <= heard) {
        told = rows;
        heard = top;
        if (full) return;
        event.stopPropagation();
        telling = true;
        flushSync(() => scroller.current?.dispatchEvent(new Event('scroll')));
        telling = false;
        return;
      }
      event.stopPropagation();
      if (top !== end.current.at) scrolled.current();
    };
    const options = { capture: true, passive: true };
    element?.addEventListener('scroll', listen, options);
    return () => element?.removeEventListener('scroll', listen, options);
  }, [frame, scroller, scrolled, tell, byHand, filled]);
  // The list may learn the view's position after measuring the row, which it does in the next frame.
  useLayoutEffect(() => {
    if (!grows) return;
    return () => {
      now.current.measures = true;
      const measured = () => {
        now.current.measures = false;
        scroller.current?.dispatchEvent(new Event('scroll'));
      };
      requestAnimationFrame(() => requestAnimationFrame(measured));
    };
  }, [grows, scroller]);
  return useCallback(() => {
    const at = scroller.current?.scrollTop ?? -1;
    if (at !== end.current.at) end.current = { at, comes: true };
  }, [scroller]);
}
