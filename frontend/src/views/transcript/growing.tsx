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
import type { Row } from './rows';

// A text that is being written grows with each frame. The list would measure its row, render, and lay out again for each of
// them. Where the end is followed anyway, the list keeps the height that the row had first: it is the last one, so that
// nothing is placed by its height, and it sticks out of the list at its end.
//
// What the list knows has to fit together: a row that it believes to be above the view moves the view when it turns out to be
// higher. So it doesn't see a scroll position beyond what it knows of that row.

interface Growing {
  /** The index of the row that grows, -1 where none does. */
  at: number;
  /** Called when it has another height, after it was laid out. */
  grew(): void;
  /** Has the list told how high it is, if that is more than a view of that height shows of it; returns whether it was. */
  tell: RefObject<(view: number) => boolean>;
}

const nothing = () => false;

export const GrowingContext = createContext<Growing>({
  at: -1,
  grew: () => {},
  tell: { current: nothing },
});

/** The index of the row that the list need not know the height of: the last one, while it is written and the end is followed. */
export function growingAt(rows: readonly Row[], follows: boolean): number {
  const last = rows.at(-1);
  return follows && last?.kind === 'prose' && last.cursor ? rows.length - 1 : -1;
}

/** The height that the list takes for that of a row which has just come, in pixels. */
const least = 1;

interface ItemProps {
  style: CSSProperties;
  index: number;
  children: ReactNode;
  ref?: Ref<HTMLDivElement>;
}

/** The place of a row in the list. What is around the row is measured by the list. */
export function Item({ style, index, children, ref }: ItemProps) {
  const { at, grew, tell } = useContext(GrowingContext);
  const row = useRef<HTMLDivElement>(null);
  const grows = index === at;
  const isNew = useRef(true);
  useLayoutEffect(() => {
    const place = row.current?.parentElement;
    if (!grows || row.current === null || place == null) return;
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
    if (isNew.current) take(least);
    const observer = new ResizeObserver(([entry]) => {
      now = entry?.contentRect.height ?? told;
      if (now < told) take(now);
      grew();
    });
    observer.observe(row.current);
    tell.current = (view) => {
      if (now - told < view / 2) return false;
      take(now);
      return true;
    };
    return () => {
      tell.current = nothing;
      observer.disconnect();
      place.style.height = height;
      place.style.contain = contain;
      delete place.dataset['grows'];
    };
  }, [grows, grew, tell]);
  useLayoutEffect(() => {
    isNew.current = false;
    return () => {
      isNew.current = true;
    };
  }, []);
  return (
    <div ref={ref} style={style}>
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
  tell: Growing['tell'];
  /** Whether what scrolls may be the user. */
  byHand(): boolean;
  /** Is called where the user has scrolled and nobody else hears of it. */
  scrolled: RefObject<() => void>;
}

/**
 * Keeps from the list, and from all others who listen to it, that the transcript has scrolled to its end because its last row has
 * grown: nothing else is in view. Returns what has to be called once the end was scrolled to.
 */
export function useQuietEnd({ frame, scroller, rows, grows, tell, byHand, scrolled }: QuietEnd): () => void {
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
    // On the way to the scroller, before those who listen to it.
    const listen = (event: Event) => {
      if (event.target !== scroller.current || scroller.current === null) return;
      const { rows, grows, measures } = now.current;
      const { comes } = end.current;
      end.current.comes = false;
      const known = told === rows || measures;
      // To ask where it is has the browser look for what else has changed.
      if (grows && known && comes && !byHand()) {
        event.stopPropagation();
        return;
      }
      const top = scroller.current.scrollTop;
      const quiet = measures || (grows && (known || tell.current(scroller.current.clientHeight)));
      if (!quiet || top <= heard) {
        told = rows;
        heard = top;
        return;
      }
      event.stopPropagation();
      if (top !== end.current.at) scrolled.current();
    };
    const options = { capture: true, passive: true };
    element?.addEventListener('scroll', listen, options);
    return () => element?.removeEventListener('scroll', listen, options);
  }, [frame, scroller, scrolled, tell, byHand]);
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
