import { type RefObject, useCallback, useEffect, useLayoutEffect, useMemo, useRef } from 'react';
import type { VirtualizerHandle } from 'virtua';
import { asCommandError } from '../../commands/failure';
import { t } from '../../i18n';
import { modifiers, pointerEvents, scrollKeys } from '../../keyboard/pointerEvents';
import { showFailure } from '../../state/notify';
import type { Session } from '../../state/session';
import { useStore } from '../../state/store';
import { useWeft } from '../../state/weft';
import type { Style } from '../../transcript/style';
import type { Spot, Target } from '../find/spot';
import type { Marks } from '../find/useMarks';
import { releaseFocus } from '../parts/focusInView';
import { openOverlays } from '../parts/openOverlays';
import { focusIsLost } from '../parts/returnFocus';
import { inRequest } from '../tools/requests';
import { disclosuresOf } from './memory';
import type { TranscriptModel } from './model';
import { openTo } from './reveal';
import { aimAt, listMargin, type RowScroll } from './rowScroll';
import type { Row } from './rows';

/** Space above a target message. */
const above = 12;
/** Position of a match in the view, as a fraction of its height. */
const down = 0.3;
/** Minimum distance of a match from the top, so that nothing covers it. */
const below = 56;
/** How many frames a location must be still before scrolling ends, and how many frames to wait for that. */
const idleDelay = 20;
const timeout = 240;
/** After this many frames, the row is looked up again. */
const lost = 4;
/** After this many frames, a match that isn't rendered is shown separately. */
const undrawn = 45;
/** How long a visited location is highlighted, in ms. */
const highlightMs = 1600;

interface Reveal {
  session: Session;
  model: TranscriptModel;
  rows: readonly Row[];
  /** How the rows are shown. */
  style: Style;
  list: RefObject<VirtualizerHandle | null>;
  scroller: RefObject<HTMLDivElement | null>;
  scroll: RowScroll;
  spot: Spot;
  marks: Marks;
  hold(): void;
}

export interface RevealControls {
  go(target: Target): Promise<void>;
  /** Focuses the last visited location; false if it is not mounted, or the user has navigated elsewhere since. */
  focus(): boolean;
  /** How often the user has navigated elsewhere. */
  left(): number;
  /** The user navigates elsewhere: an earlier target no longer moves the view, even if it is still loading. */
  leave(): void;
  /** Reports whether the user has gone to a location since. */
  isGoing(): boolean;
}

/**
 * Goes to locations: loads their surroundings, opens what is closed, and keeps them in view until they have stopped
 * moving.
 */
export function useReveal(reveal: Reveal): RevealControls {
  const { session, model, rows, style, list, scroller, scroll, spot, marks, hold } = reveal;
  const weft = useWeft();
  const pin = useRef<Pin | null>(null);
  /** The target whose location isn't rendered yet. */
  const missing = useRef<Target | null>(null);
  /** The target being loaded and scrolled to; null once the user has navigated elsewhere. */
  const going = useRef<Target | null>(null);
  /** The query at the time of navigation. */
  const asked = useRef('');
  const leaves = useRef(0);

  const place = useCallback(
    (target: Target): boolean => {
      const handle = list.current;
      const element = scroller.current;
      if (handle === null || element === null) return false;
      const { rows: now } = model.store.get();
      if (target.view !== null) {
        const { key, within } = target.view;
        const index = now.findIndex((row) => row.key === key);
        if (index >= 0) {
          hold();
          scroll.begin(
            element,
            aimAt(handle, () => model.store.get().rows, key, within),
          );
          return true;
        }
      }
      const drawn = openTo(target, session.store.get().conversation, now, {
        disclosures: disclosuresOf(session.spaceId),
        thinks: (messageId) => model.thinks(messageId),
        reveal: (messageId, what) =>
          what === 'calls' ? model.reveal(messageId, true) : model.revealThoughts(messageId),
      });
      if (drawn === null) return false;
      hold();
      const row = now[drawn.row];
      if (row === undefined) return false;
      // A visible match is not moved.
      const known = seen(element, row.key);
      const offset = -above - (target.mark === null ? 0 : element.clientHeight * down);
      const aim = aimAt(handle, () => model.store.get().rows, row.key, offset);
      const again = () => {
        element.scrollTop = aim() ?? element.scrollTop;
      };
      if (!known) again();
      pin.current?.stop();
      const { current: query } = asked;
      pin.current = new Pin({
        element,
        target,
        query,
        row: row.key,
        inside: drawn.inside,
        marks,
        spot,
        again,
      });
      return true;
    },
    [list, scroller, scroll, model, session, hold, marks, spot],
  );

  const go = useCallback(
    async (target: Target) => {
      pin.current?.stop();
      scroll.stop();
      marks.setNow(null);
      missing.current = null;
      going.current = target;
      asked.current = spot.get().query;
      spot.set({ target, apart: false });
      hold();
      releaseFocus();
      try {
        await session.openAt(target.place);
      } catch (error) {
        if (going.current === target) showFailure(t('failed.place'), error);
        return;
      }
      if (going.current !== target) return;
      const { conversation } = session.store.get();
      if (!conversation.messages.some(({ id }) => id === target.place.messageId)) {
        showFailure(t('failed.place'), asCommandError(new Error(t('places.gone'))));
        return;
      }
      if (!place(target)) missing.current = target;
    },
    [session, scroll, spot, place, marks, hold],
  );

  // The location may be rendered with later rows.
  // biome-ignore lint/correctness/useExhaustiveDependencies: run when the rows or their content change
  useLayoutEffect(() => {
    const target = missing.current;
    if (target === null) return;
    if (spot.get().target !== target || place(target)) missing.current = null;
  }, [rows, style, place, spot]);

  const wanted = useStore(weft.shown, ({ wanted }) => (wanted?.spaceId === session.spaceId ? wanted : null));
  useLayoutEffect(() => {
    if (wanted === null) return;
    weft.shown.set({ wanted: null });
    spot.set({ query: wanted.mark?.query ?? '' });
    void go({ place: wanted.place, mark: wanted.mark, view: wanted.view, opens: wanted.view === null });
  }, [weft, spot, wanted, go]);

  // A match of a search elsewhere stays highlighted until the user has seen it.
  useEffect(() => {
    const clear = (event: KeyboardEvent) => {
      if (event.key !== 'Escape' || spot.get().query === '' || document.querySelector('.find-bar') !== null)
        return;
      spot.set({ query: '' });
    };
    window.addEventListener('keydown', clear);
    return () => window.removeEventListener('keydown', clear);
  }, [spot]);
  useEffect(() => () => pin.current?.stop(), []);
  const focus = useCallback(() => going.current !== null && pin.current?.focus() === true, []);
  const left = useCallback(() => leaves.current, []);
  const leave = useCallback(() => {
    leaves.current++;
    going.current = null;
    missing.current = null;
    pin.current?.stop();
    scroll.stop();
    session.cancelJump();
  }, [session, scroll]);
  const isGoing = useCallback(() => going.current !== null, []);
  return useMemo(() => ({ go, focus, left, leave, isGoing }), [go, focus, left, leave, isGoing]);
}

/** The element of a row; null if it is not mounted. */
function rowOf(scroller: HTMLElement, key: string): HTMLElement | null {
  // The row itself has no box.
  return scroller.querySelector<HTMLElement>(`[data-row="${CSS.escape(key)}"] > *`);
}

/** Reports whether a row is mounted and at least partly visible. */
function seen(scroller: HTMLElement, key: string): boolean {
  const row = rowOf(scroller, key);
  if (row === null) return false;
  const view = scroller.getBoundingClientRect();
  const { top, bottom } = row.getBoundingClientRect();
  return bottom > view.top && top < view.bottom;
}

interface PinOptions {
  element: HTMLElement;
  target: Target;
  /** The query at the time of navigation; empty for none. */
  query: string;
  row: string;
  inside: string;
  marks: Marks;
  spot: Spot;
  /** Scrolls the row into view. */
  again(): void;
}

/**
 * Keeps a location at its position in the view while its surroundings load and grow, until it is still or the user
 * takes over.
 */
class Pin {
  private frame = 0;
  private frames = 0;
  private still = 0;
  /** Its target position in the view, computed once. */
  private want: number | null = null;
  private arrived: Element | null = null;
  private timer: ReturnType<typeof setTimeout> | undefined;
  /** Whether the user has pressed a key or a button since the start. */
  private touched = false;
  private readonly of: PinOptions;

  constructor(of: PinOptions) {
    this.of = of;
    for (const name of pointerEvents) of.element.addEventListener(name, this.stop, { passive: true });
    window.addEventListener('keydown', this.keyed, { capture: true });
    window.addEventListener('pointerdown', this.pointed, { capture: true });
    this.step();
  }

  readonly stop = (): void => {
    cancelAnimationFrame(this.frame);
    for (const name of pointerEvents) this.of.element.removeEventListener(name, this.stop);
    window.removeEventListener('keydown', this.keyed, { capture: true });
    window.removeEventListener('pointerdown', this.pointed, { capture: true });
  };

  private readonly pointed = (): void => {
    this.touched = true;
  };

  /** Only scroll keys take over: typing in the search field doesn't. */
  private readonly keyed = (event: KeyboardEvent): void => {
    if (!modifiers.test(event.key)) this.touched = true;
    if (scrollKeys.test(event.key) && this.of.element.contains(event.target as Node)) this.stop();
  };

  private readonly step = (): void => {
    const { element, target, spot } = this.of;
    if (spot.get().target !== target) {
      this.stop();
      return;
    }
    this.frames++;
    const at = this.find();
    if (at !== null) this.keep(at.box);
    // The list estimates the heights of unmounted rows, so it may miss.
    else if (this.frames % lost === 0) this.of.again();
    if (at === null || !at.final) this.still = 0;
    if (at !== null && !at.final && this.frames === undrawn && target.opens) spot.set({ apart: true });
    // A match that can't be rendered at all is at least highlighted as a part.
    if (at !== null && !at.final && this.frames === 2 * undrawn) this.stand(at.part);
    if (this.still >= idleDelay || this.frames > timeout) {
      this.finish();
      this.stop();
      return;
    }
    if (!element.isConnected) {
      this.stop();
      return;
    }
    this.frame = requestAnimationFrame(this.step);
  };

  /** The current position of the location. Final when its match is rendered. */
  private find(): { box: DOMRect; part: Element | null; range: Range | null; final: boolean } | null {
    const { element, target, query, row, marks, spot } = this.of;
    const whole = rowOf(element, row);
    if (whole === null) return null;
    const part = this.part();
    if (target.mark === null) this.stand(part);
    if (target.mark === null)
      return { box: (part ?? whole).getBoundingClientRect(), part, range: null, final: part !== null };
    const range = this.match(part);
    // The user may have closed the search while the location was loading, or search for something else.
    if (query !== '' && spot.get().query === query) marks.setNow(range, () => this.match(this.part()));
    if (range === null) return { box: (part ?? whole).getBoundingClientRect(), part, range, final: false };
    openAround(range);
    scrollInside(range, element);
    return { box: range.getBoundingClientRect(), part, range, final: true };
  }

  /** The rendered element of the location. */
  private part(): HTMLElement | null {
    const { element, row, inside } = this.of;
    const whole = rowOf(element, row);
    return inside === '' ? whole : (whole?.querySelector(`[data-at="${CSS.escape(inside)}"]`) ?? null);
  }

  private match(part: Element | null): Range | null {
    const { target, marks } = this.of;
    if (part === null || target.mark === null) return null;
    // The line of a call repeats the beginning of its details, truncated.
    const below = target.mark.source === 'title' ? [] : part.querySelectorAll('.detail, .detail-error');
    return marks.find([...below, part], target.mark);
  }

  private keep(box: DOMRect): void {
    const { element, target } = this.of;
    const view = element.getBoundingClientRect();
    const top = box.top - view.top;
    if (
      this.want === null ||
      (target.mark !== null && this.still === 0 && (top < below || top > view.height - 60))
    ) {
      // The search bar is at the top of the view.
      const fits = top >= below && top + Math.min(box.height, 40) <= view.height - above;
      this.want = target.mark === null ? above + listMargin : fits ? top : view.height * down;
    }
    const off = Math.round(top - this.want);
    if (Math.abs(off) > 1) {
      const before = element.scrollTop;
      element.scrollTop += off;
      // At an end of the conversation the target position can't be reached.
      if (element.scrollTop !== before) {
        this.still = 0;
        return;
      }
    }
    this.still++;
  }

  /** Highlights the location briefly. */
  private stand(part: Element | null): void {
    if (part === this.arrived || this.of.target.view !== null) return;
    this.arrived?.removeAttribute('data-arrived');
    this.arrived = part;
    part?.setAttribute('data-arrived', '');
    clearTimeout(this.timer);
    this.timer = setTimeout(() => part?.removeAttribute('data-arrived'), highlightMs);
  }

  private finish(): void {
    if (!this.of.target.opens) return;
    // If the user is typing in the search or is in a request, the focus stays there.
    const active = document.activeElement;
    if (active?.closest('.find-bar') != null) return;
    // If the user has navigated elsewhere meanwhile or keeps typing, the focus stays there; an opened overlay keeps it,
    // too.
    if (this.touched && !focusIsLost()) return;
    if (document.querySelector(openOverlays) !== null) return;
    if (!inRequest() || this.part()?.contains(active) !== true) this.focus();
  }

  /** Focuses the location; false if it is no longer mounted. */
  focus(): boolean {
    const part = this.part() ?? rowOf(this.of.element, this.of.row);
    if (part === null) return false;
    const range = this.match(part);
    if (range !== null) this.of.spot.set({ selected: new StaticRange(range) });
    focusPlace(part, range);
    return true;
  }
}

/** Focuses a location and selects the match in it, so that keys continue from there. */
function focusPlace(part: HTMLElement, range: Range | null): void {
  const own = '[data-step], .tool-line, .group-line, .thought-line, .display';
  const focusable = 'button, a[href], [tabindex]';
  const near = range?.startContainer.parentElement?.closest<HTMLElement>(focusable) ?? null;
  const at = range === null ? part.querySelector<HTMLElement>(own) : part.contains(near) ? near : null;
  if (at === null) part.tabIndex = -1;
  (at ?? part).focus({ preventScroll: true });
  if (range === null) return;
  const selection = window.getSelection();
  selection?.removeAllRanges();
  selection?.addRange(range.cloneRange());
}

/** Opens the folds of a text around a match. */
function openAround(range: Range): void {
  for (let at = range.startContainer.parentElement; at !== null; at = at.parentElement)
    if (at instanceof HTMLDetailsElement && !at.open) at.open = true;
}

/** Scrolls the containers of a match up to the transcript, so that it is visible in them. */
function scrollInside(range: Range, scroller: HTMLElement): void {
  for (let at = range.startContainer.parentElement; at !== null && at !== scroller; at = at.parentElement) {
    if (at.scrollHeight <= at.clientHeight + 1 && at.scrollWidth <= at.clientWidth + 1) continue;
    // Truncated text is not scrolled to: the user couldn't scroll back.
    if (getComputedStyle(at).textOverflow === 'ellipsis') continue;
    const box = range.getBoundingClientRect();
    const view = at.getBoundingClientRect();
    if (box.top < view.top || box.bottom > view.bottom)
      at.scrollTop += box.top - view.top - at.clientHeight * down;
    if (box.left < view.left || box.right > view.right)
      at.scrollLeft += box.left - view.left - at.clientWidth * down;
  }
}
