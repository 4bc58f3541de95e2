import { type RefObject, useCallback, useRef } from 'react';
import type { VirtualizerHandle } from 'virtua';
import { isTyping } from '../../keyboard/actions';
import { aimAt, listMargin, type RowScroll } from './rowScroll';
import type { Row } from './rows';

/** How soon a repeated key continues from the previous target. */
const soon = 500;
/** Space above a target message. */
const above = 12;

interface Steps {
  list: RefObject<VirtualizerHandle | null>;
  scroller: RefObject<HTMLElement | null>;
  rows: RefObject<readonly Row[]>;
  scroll: RowScroll;
  hold(): void;
  toEnd(): void;
  /** How often the user has navigated elsewhere. */
  left(): number;
}

/** How many frames to wait for a row. */
const timeout = 30;

/** Focuses a row's message as soon as the list has rendered it, unless the user has navigated elsewhere meanwhile. */
export function focusRow(scroller: HTMLElement, key: string, left: () => number): void {
  const from = document.activeElement;
  const was = left();
  const look = (frames: number) => {
    const has = document.activeElement;
    if (left() !== was || (has !== from && has !== document.body)) return;
    const row = scroller.querySelector<HTMLElement>(`[data-step="${CSS.escape(key)}"]`);
    if (row !== null) row.focus({ preventScroll: true });
    else if (frames > 0) requestAnimationFrame(() => look(frames - 1));
  };
  look(timeout);
}

/** The start of the message that contains an element. */
function messageAt(scroller: HTMLElement, within: Element | null): HTMLElement | null {
  if (within === null || within === scroller) return null;
  const after = Node.DOCUMENT_POSITION_PRECEDING | Node.DOCUMENT_POSITION_CONTAINS;
  const starts = [...scroller.querySelectorAll<HTMLElement>('[data-step]')];
  return (
    starts.findLast((start) => start === within || (within.compareDocumentPosition(start) & after) !== 0) ??
    null
  );
}

/** Goes to the previous or next message, relative to the one at the top of the view. */
export function useSteps({ list, scroller, rows, scroll, hold, toEnd, left }: Steps): (by: 1 | -1) => void {
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
      const { activeElement } = document;
      const reads = element.contains(activeElement) && !isTyping(activeElement);
      const from = reads ? messageAt(element, activeElement) : null;
      const at = starts.findIndex((i) => rows.current[i]?.key === from?.dataset['step']);
      const top = element.scrollTop;
      let next: number;
      if (aimed >= 0) next = aimed + by;
      // From within a message, going back leads to its start.
      else if (at >= 0) next = by < 0 && from !== activeElement ? at : at + by;
      else if (by < 0) next = starts.findLastIndex((i) => place(i) < top - 2);
      else next = starts.findIndex((i) => place(i) > top + 2);
      const target = starts[next];
      if (target === undefined) {
        if (by > 0) toEnd();
        else element.scrollTop = 0;
        return;
      }
      aim.current = { key: rows.current[target]?.key ?? '', at: performance.now() };
      scroll.begin(
        element,
        aimAt(handle, () => rows.current, aim.current.key, -above),
      );
      // If the user was typing, the focus stays; otherwise the message gets it, because it has its own shortcuts.
      if (reads) focusRow(element, aim.current.key, left);
    },
    [list, scroller, rows, scroll, hold, toEnd, left],
  );
}
