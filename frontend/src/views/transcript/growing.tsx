import {
  type CSSProperties,
  createContext,
  type ReactNode,
  type Ref,
  type RefObject,
  useCallback,
  useContext,
  useEffect,
  useLayoutEffect,
  useRef,
} from 'react';
import type { Row } from './rows';

// A text that is being written grows with each frame. The list would measure its row, render, and lay out again for each of
// them. Where the end is followed anyway, the list goes on with the height that the row had first: it is the last one, so that
// nothing is placed by its height, and it sticks out of the list at its end.
//
// What the list knows has to fit together: a row that it believes to be above the view moves the view when it turns out to be
// higher. So it isn't told of a scroll position beyond what it knows of that row.

interface Growing {
  /** The index of the row that grows, -1 where none does. */
  at: number;
  /** Called when it has another height, after it was laid out. */
  grew(): void;
}

export const GrowingContext = createContext<Growing>({ at: -1, grew: () => {} });

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
  const { at, grew } = useContext(GrowingContext);
  const row = useRef<HTMLDivElement>(null);
  const grows = index === at;
  const isNew = useRef(true);
  useLayoutEffect(() => {
    const place = row.current?.parentElement;
    if (!grows || row.current === null || place == null) return;
    const { height, contain } = place.style;
    let told = Number.POSITIVE_INFINITY;
    const tell = (height: number) => {
      told = height;
      place.style.height = `${height}px`;
      // What sticks out of a box with layout containment can't be scrolled to.
      place.style.contain = 'style';
      place.dataset['grows'] = '';
    };
    // One that has just come is low: laid out once, it need not be laid out again to be told.
    if (isNew.current) tell(least);
    const observer = new ResizeObserver(([entry]) => {
      const now = entry?.contentRect.height ?? told;
      const high = told === least && now > (place.closest('.transcript-scroll')?.clientHeight ?? 0) / 2;
      if (high || now < told) tell(now);
      grew();
    });
    observer.observe(row.current);
    return () => {
      observer.disconnect();
      place.style.height = height;
      place.style.contain = contain;
      delete place.dataset['grows'];
    };
  }, [grows, grew]);
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

/**
 * Keeps from the list, and from all others who listen to it, that the transcript has scrolled to its end because its last row has
 * grown: nothing else is in view. `scrolled` is called where the user has scrolled meanwhile. Returns what has to be called once the
 * end was scrolled to.
 */
export function useQuietEnd(
  frame: RefObject<HTMLElement | null>,
  scroller: RefObject<HTMLElement | null>,
  rows: readonly Row[],
  grows: boolean,
  scrolled: RefObject<() => void>,
): () => void {
  const end = useRef(-1);
  const now = useRef({ rows, grows });
  useLayoutEffect(() => {
    now.current = { rows, grows };
  }, [rows, grows]);
  useLayoutEffect(() => {
    const element = frame.current;
    let told: readonly Row[] | null = null;
    let heard = 0;
    // On the way to the scroller, before those who listen to it.
    const listen = (event: Event) => {
      if (event.target !== scroller.current || scroller.current === null) return;
      const { rows, grows } = now.current;
      const top = scroller.current.scrollTop;
      if (!grows || told !== rows || top <= heard) {
        told = rows;
        heard = top;
        return;
      }
      event.stopPropagation();
      if (top !== end.current) scrolled.current();
    };
    const options = { capture: true, passive: true };
    element?.addEventListener('scroll', listen, options);
    return () => element?.removeEventListener('scroll', listen, options);
  }, [frame, scroller, scrolled]);
  // Once the list has measured the row, it may know where the view is.
  useEffect(() => {
    if (!grows) return;
    return () => {
      requestAnimationFrame(() =>
        requestAnimationFrame(() => scroller.current?.dispatchEvent(new Event('scroll'))),
      );
    };
  }, [grows, scroller]);
  return useCallback(() => {
    end.current = scroller.current?.scrollTop ?? -1;
  }, [scroller]);
}
