import { type RefObject, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { overflows } from '../parts/overflows';
import { scrollers } from '../tools/requests';

// Tracks which parts of a request have been visible. Content that must be seen is in an element with data-acts. Allow
// waits until its end has been visible, or all of it if data-acts is "whole" because it contains deceptive characters.
// Each piece is an element with data-chars, its length; a collapsed one has data-shut, one that is loading data-loads.
// A piece counts as seen when its first and last lines have been within the window, the transcript (or the inbox pane)
// and the card's own scroll region. The content of a new file need not be seen: the card says how much of it is hidden,
// and no answer waits for it.

/** What has not been visible. */
export interface Unseen {
  lines: number;
  chars: number;
  loads: boolean;
}

export interface Seen {
  /** What Allow waits for; null for nothing. */
  held: Unseen | null;
  /** Everything that is collapsed or needs scrolling in the card. */
  hidden: Unseen;
  /** The content is higher than its region. */
  scrolls: boolean;
  /** Scrolls to what Allow waits for. Returns false if that is collapsed. */
  reveal(): boolean;
}

type Look = Pick<Seen, 'held' | 'hidden'>;

const none: Unseen = { lines: 0, chars: 0, loads: false };
const coming: Unseen = { ...none, loads: true };
// Before the first measurement.
const unknown: Look = { held: coming, hidden: none };
const read: Look = { held: null, hidden: coming };

/** What is known of a text that must be seen. */
interface Text {
  unseen: Unseen;
  /** The first piece that was not seen. */
  next: HTMLElement | null;
  folded: boolean;
  end: HTMLElement;
  endSeen: boolean;
}

function add(to: Unseen, piece: HTMLElement): void {
  to.lines += Number(piece.dataset['lines'] ?? 0);
  to.chars += Number(piece.dataset['chars'] ?? 0);
  to.loads ||= piece.dataset['loads'] !== undefined;
}

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
  private found: Look = unknown;
  /** Where the user has to look before Allow becomes available. */
  private missing: { piece: HTMLElement; folded: boolean; edge: 'top' | 'bottom' } | null = null;

  constructor(region: HTMLElement) {
    this.region = region;
    this.changes = new MutationObserver(() => this.version++);
    this.changes.observe(region, {
      childList: true,
      subtree: true,
      attributes: true,
      attributeFilter: ['data-shut', 'data-loads', 'data-acts'],
    });
  }

  close(): void {
    this.changes.disconnect();
  }

  /** Checks what is visible now, if that may have changed. */
  look(): Look {
    const view = visible(this.region);
    const { scrollTop, scrollHeight } = this.region;
    const scrolls = overflows(this.region);
    const key = [view.top, view.bottom, scrollTop, scrollHeight, this.version].join();
    if (key === this.key) return this.found;
    this.key = key;
    const hidden = { ...none };
    const texts = new Map<HTMLElement, Text>();
    for (const piece of this.region.querySelectorAll<HTMLElement>('[data-chars], [data-loads]')) {
      const folded = piece.dataset['loads'] !== undefined || piece.dataset['shut'] !== undefined;
      const seen = !folded && this.wasSeen(piece, view);
      if (folded || (!seen && scrolls)) add(hidden, piece);
      const within = piece.closest<HTMLElement>('[data-acts]');
      if (within === null) continue;
      let text = texts.get(within);
      if (text === undefined) {
        text = { unseen: { ...none }, next: null, folded: false, end: piece, endSeen: false };
        texts.set(within, text);
      }
      if (!seen) {
        add(text.unseen, piece);
        text.next ??= piece;
      }
      text.folded ||= folded;
      text.end = piece;
      text.endSeen = seen;
    }
    let held: Unseen | null = null;
    this.missing = null;
    for (const [within, { unseen, next, folded, end, endSeen }] of texts) {
      const whole = within.dataset['acts'] === 'whole';
      if (next === null || (!whole && endSeen && !folded)) continue;
      held ??= { ...none };
      held.lines += unseen.lines;
      held.chars += unseen.chars;
      held.loads ||= unseen.loads;
      this.missing ??= { piece: whole ? next : end, folded, edge: whole ? 'top' : 'bottom' };
    }
    this.found = { held, hidden };
    return this.found;
  }

  /** Scrolls to what Allow waits for. Returns false if that is collapsed. */
  reveal(): boolean {
    if (this.missing === null) return true;
    const { piece, folded, edge } = this.missing;
    if (folded) return false;
    // Scroll only the card if that is enough, so that the answers stay under the pointer.
    const at = piece.getBoundingClientRect()[edge];
    const to = this.region.getBoundingClientRect()[edge];
    this.region.scrollTop += at - to;
    const view = visible(this.region);
    if (to < view.top - 1 || to > view.bottom + 1) this.region.scrollIntoView({ block: 'nearest' });
    return true;
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

/** The visible part of an element. */
function visible(element: HTMLElement): { top: number; bottom: number } {
  let { top, bottom } = element.getBoundingClientRect();
  const scroller = element.closest(scrollers)?.getBoundingClientRect();
  if (scroller !== undefined) {
    top = Math.max(top, scroller.top);
    bottom = Math.min(bottom, scroller.bottom);
  }
  return { top: Math.max(top, 0), bottom: Math.min(bottom, window.innerHeight) };
}

/** Requests that were completely seen, so that a row that mounts again needn't be read again. */
const finished = new Map<string, readonly unknown[]>();
const mostKept = 500;

/**
 * Tracks what has been visible of a request. `of` is its content, compared by identity: if it changes, tracking starts
 * over.
 */
export function useSeen(
  region: RefObject<HTMLElement | null>,
  requestId: string,
  of: readonly unknown[],
): Seen {
  const latest = useRef(of);
  latest.current = of;
  const known = useMemo(() => wasRead(requestId, latest.current), [requestId, ...of]);
  const [found, setFound] = useState<Look>(known ? read : unknown);
  const [scrolls, setScrolls] = useState(false);
  const watching = useRef<Watch | null>(null);
  useEffect(() => {
    const element = region.current;
    if (element === null) return;
    const watch = new Watch(element);
    watching.current = watch;
    let last = known ? read : unknown;
    let frame = 0;
    if (!known) setFound(unknown);
    const look = () => {
      setScrolls(overflows(element));
      frame = requestAnimationFrame(look);
      const next = watch.look();
      const held = known ? null : next.held;
      if (last.held !== null && held === null) keep(requestId, latest.current);
      if (!same(held, last.held) || !same(next.hidden, last.hidden)) {
        last = { held, hidden: next.hidden };
        setFound(last);
      }
    };
    // Not while rendering: it isn't at its position yet, and nobody has seen it.
    frame = requestAnimationFrame(look);
    return () => {
      cancelAnimationFrame(frame);
      watch.close();
      watching.current = null;
    };
  }, [region, requestId, known, ...of]);
  const reveal = useCallback(() => watching.current?.reveal() ?? true, []);
  return { ...found, scrolls, reveal };
}

function same(one: Unseen | null, other: Unseen | null): boolean {
  if (one === null || other === null) return one === other;
  return one.lines === other.lines && one.chars === other.chars && one.loads === other.loads;
}

function wasRead(requestId: string, of: readonly unknown[]): boolean {
  const before = finished.get(requestId);
  return before !== undefined && before.length === of.length && before.every((one, i) => one === of[i]);
}

function keep(requestId: string, of: readonly unknown[]): void {
  const [oldest] = finished.keys();
  if (finished.size >= mostKept && oldest !== undefined) finished.delete(oldest);
  finished.set(requestId, of);
}
