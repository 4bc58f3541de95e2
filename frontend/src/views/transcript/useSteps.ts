import { type RefObject, useCallback, useRef } from 'react';
import type { VirtualizerHandle } from 'virtua';
import type { Row } from './rows';

/** The height of what is above the list, as in transcript.css. */
export const listMargin = 24;
/** A key that is pressed again this soon continues from where the last press aims. */
const soon = 500;
/** Space above the message that was gone to. */
const above = 12;

interface Steps {
  list: RefObject<VirtualizerHandle | null>;
  scroller: RefObject<HTMLElement | null>;
  rows: RefObject<readonly Row[]>;
  hold(): void;
  toEnd(): void;
}

/** Goes to the message before or after the one at the top of the view. */
export function useSteps({ list, scroller, rows, hold, toEnd }: Steps): (by: 1 | -1) => void {
  const aim = useRef({ key: '', at: Number.NEGATIVE_INFINITY });
  return useCallback(
    (by) => {
      const handle = list.current;
      const element = scroller.current;
      if (handle === null || element === null) return;
      hold();
      const starts = rows.current.flatMap((row, i) =>
        row.kind === 'prompt' || row.kind === 'header' ? [i] : [],
      );
      const place = (i: number) => handle.getItemOffset(i) + listMargin - above;
      const aimed =
        performance.now() - aim.current.at < soon
          ? starts.findIndex((i) => rows.current[i]?.key === aim.current.key)
          : -1;
      const top = element.scrollTop;
      let next: number;
      if (aimed >= 0) next = aimed + by;
      else if (by < 0) next = starts.findLastIndex((i) => place(i) < top - 2);
      else next = starts.findIndex((i) => place(i) > top + 2);
      const target = starts[next];
      if (target === undefined) {
        if (by > 0) toEnd();
        else element.scrollTop = 0;
        return;
      }
      aim.current = { key: rows.current[target]?.key ?? '', at: performance.now() };
      handle.scrollToIndex(target, { align: 'start', offset: -above });
    },
    [list, scroller, rows, hold, toEnd],
  );
}
