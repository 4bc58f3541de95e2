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

// A text that is being written grows with each frame. The list would measure its row, render, and lay out again for each of
// them. Where the end is followed anyway, the list keeps the height that the row had first: it is the last one, so that
// nothing is placed by its height, and it sticks out of the list at its end.
//
// What the list knows has to fit together: a row that it believes to be above the view moves the view when it turns out to be
// higher. So it doesn't see a scroll position beyond what it knows of that row.

/** The height that the list takes for that of a row which has just come, in pixels. */
const least = 1;

/** So many rows at the end may be shown before they are measured: nothing is below them that they could cover. */
const free = 3;

/** The end of the list: the row that grows, and what is done with it outside of React, so that none of the others is drawn for it. */
export class ListEnd {
  /** Called when the row that grows has another height, after it was laid out. */
  grew: () => void = () => {};
  private rows = 0;
  private readonly held = new Map<number, HTMLElement>();
  /** Rows that were drawn first in what is drawn now. */
  private readonly fresh = new Set<HTMLElement>();
  private watched: { row: HTMLElement; tell(view: number): boolean; leave(): void } | null = null;

  /** Whether a row is at the end of those that are drawn, or comes there now. While none are, the view may be about to go elsewhere. */
  isBehind(index: number): boolean {
    return this.rows > 0 && index >= this.rows - free;
  }

  /** To be called before rows are drawn that came or went at the start: how many there are now. The end has another index then. */
  startMoves(rows: number): void {
    if (this.rows > 0) this.rows = rows;
  }

  /** Takes in a row that is in the page; returns what takes it out. */
  hold(index: number, row: HTMLElement): () => void {
    this.held.set(index, row);
    if (this.fresh.size === 0) queueMicrotask(() => this.fresh.clear());
    this.fresh.add(row);
    return () => {
      if (this.held.get(index) === row) this.held.delete(index);
    };
  }

  /** Whether rows are in the page, all from one to another. */
  holds(from: number, to: number): boolean {
    for (let index = from; index <= to; index++) if (!this.held.has(index)) return false;
    return true;
  }

  /** To be called once rows are drawn: which of them grows now, -1 for none, and how many there are. */
  moved(at: number, rows: number): void {
    this.rows = rows;
    const row = this.held.get(at) ?? null;
    if (row === (this.watched?.row ?? null)) return;
    this.leave();
    if (row !== null) this.watch(row);
  }

  /** Has the list told how high the row is that grows, if that is more than a view of that height shows of it; returns whether it was. */
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
      // What sticks out of a box with layout containment can't be scrolled to.
      place.style.contain = 'style';
      place.dataset['grows'] = '';
    };
    // One that has just come is low: laid out once, it need not be laid out again to be told.
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

/** The index of the row that the list need not know the height of: the last one, while it is written and the end is followed. */
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

/** The place of a row in the list. What is around the row is measured by the list. */
export function Item({ style, index, children, ref }: ItemProps) {
  const end = useContext(ListEndContext);
  const row = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => (row.current === null ? undefined : end.hold(index, row.current)), [end, index]);
  // A row that is hidden until it is measured gets its styles twice.
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
  /** Whether what scrolls may be the user. */
  byHand(): boolean;
  /** Is called where the user has scrolled and nobody else hears of it. */
  scrolled: RefObject<() => void>;
  /** Whether what a view shows that begins there, in pixels, is in the page. */
  filled(top: number): boolean;
}

/**
 * Keeps from the list, and from all others who listen to it, that the transcript has scrolled to its end because its last row has
 * grown: nothing else is in view. Where rows come into view that aren't in the page, the list draws them before the frame is painted. Left to
 * itself it may draw them after it. Returns a function that has to be called whenever the end was scrolled to.
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
    // On the way to the scroller, before those who listen to it.
    const listen = (event: Event) => {
      if (telling || event.target !== scroller.current || scroller.current === null) return;
      const { rows, grows, measures } = now.current;
      const { comes } = end.current;
      end.current.comes = false;
      const known = told === rows || measures;
      // To ask where it is has the browser look for what else has changed.
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
  // The list may know where the view is once it has measured the row, which it does in the next frame.
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
