import { type RefObject, useEffect, useRef, useState } from 'react';
import { scrollers } from '../tools/requests';

// Allow waits until what acts has been in view. Each piece of it is an element with data-chars, its length; one that
// is folded has data-shut, one that still loads data-loads, and what is inside of data-known was read elsewhere. A piece has been seen when its first and its last
// line have been within the window, the transcript (or the pane of the inbox) and the card's own scroll region.

/** What has not been in view. */
export interface Unseen {
  lines: number;
  chars: number;
  loads: boolean;
}

export interface Seen {
  /** null: everything was in view. */
  unseen: Unseen | null;
  /** The region is higher than its window. */
  scrolls: boolean;
}

const unknown: Unseen = { lines: 0, chars: 0, loads: true };

interface Marks {
  first: boolean;
  last: boolean;
}

class Watch {
  private readonly region: HTMLElement;
  private readonly marks = new WeakMap<Element, Marks>();
  private key = '';
  private version = 0;
  private readonly changes: MutationObserver;
  private found: Unseen | null = unknown;

  constructor(region: HTMLElement) {
    this.region = region;
    this.changes = new MutationObserver(() => this.version++);
    this.changes.observe(region, {
      childList: true,
      subtree: true,
      attributes: true,
      attributeFilter: ['data-shut', 'data-loads', 'data-known'],
    });
  }

  close(): void {
    this.changes.disconnect();
  }

  /** Looks at what is in view now, if that can have changed. */
  look(): Unseen | null {
    const view = visible(this.region);
    const { scrollTop, scrollHeight } = this.region;
    const key = [view.top, view.bottom, scrollTop, scrollHeight, this.version].join();
    if (key === this.key) return this.found;
    this.key = key;
    let lines = 0;
    let chars = 0;
    let loads = false;
    for (const piece of this.region.querySelectorAll<HTMLElement>('[data-chars], [data-loads]')) {
      if (piece.closest('[data-known]') !== null) continue;
      if (piece.dataset['loads'] !== undefined) {
        loads = true;
        continue;
      }
      if (piece.dataset['shut'] === undefined && this.wasSeen(piece, view)) continue;
      lines += Number(piece.dataset['lines'] ?? 0);
      chars += Number(piece.dataset['chars']);
    }
    this.found = lines === 0 && chars === 0 && !loads ? null : { lines, chars, loads };
    return this.found;
  }

  private wasSeen(piece: Element, view: { top: number; bottom: number }): boolean {
    let marks = this.marks.get(piece);
    if (marks?.first === true && marks.last) return true;
    if (marks === undefined) {
      marks = { first: false, last: false };
      this.marks.set(piece, marks);
    }
    const { top, bottom } = piece.getBoundingClientRect();
    marks.first ||= top >= view.top - 1 && top <= view.bottom;
    marks.last ||= bottom <= view.bottom + 1 && bottom >= view.top;
    return marks.first && marks.last;
  }
}

/** The part of an element that is on the screen. */
function visible(element: HTMLElement): { top: number; bottom: number } {
  let { top, bottom } = element.getBoundingClientRect();
  const scroller = element.closest(scrollers)?.getBoundingClientRect();
  if (scroller !== undefined) {
    top = Math.max(top, scroller.top);
    bottom = Math.min(bottom, scroller.bottom);
  }
  return { top: Math.max(top, 0), bottom: Math.min(bottom, window.innerHeight) };
}

/** What of each request was seen to its end, so that a row that is drawn again need not be read again. */
const finished = new Map<string, readonly unknown[]>();
const mostKept = 500;

/** Follows what of a request has been in view. What it shows, by identity, is `of`: where that changes, it begins again. */
export function useSeen(
  region: RefObject<HTMLElement | null>,
  requestId: string,
  of: readonly unknown[],
): Seen {
  const before = finished.get(requestId);
  const known =
    before !== undefined && before.length === of.length && before.every((one, i) => one === of[i]);
  const [unseen, setUnseen] = useState<Unseen | null>(known ? null : unknown);
  const [scrolls, setScrolls] = useState(false);
  const latest = useRef(of);
  latest.current = of;
  useEffect(() => {
    const element = region.current;
    if (element === null) return;
    const watch = new Watch(element);
    let last: Unseen | null = known ? null : unknown;
    let frame = 0;
    if (!known) setUnseen(unknown);
    const look = () => {
      setScrolls(element.scrollHeight > element.clientHeight + 1);
      if (last !== null) {
        const next = watch.look();
        if (next === null) keep(requestId, latest.current);
        if (next?.lines !== last.lines || next.chars !== last.chars || next.loads !== last.loads)
          setUnseen(next);
        last = next;
      }
      frame = requestAnimationFrame(look);
    };
    // Not while it is drawn: it is neither in its place yet, nor has anyone seen it.
    frame = requestAnimationFrame(look);
    return () => {
      cancelAnimationFrame(frame);
      watch.close();
    };
  }, [region, requestId, known, ...of]);
  return { unseen, scrolls };
}

function keep(requestId: string, of: readonly unknown[]): void {
  const [oldest] = finished.keys();
  if (finished.size >= mostKept && oldest !== undefined) finished.delete(oldest);
  finished.set(requestId, of);
}
