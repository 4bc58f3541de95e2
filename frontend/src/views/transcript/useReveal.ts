import { type RefObject, useCallback, useEffect, useLayoutEffect, useMemo, useRef } from 'react';
import type { VirtualizerHandle } from 'virtua';
import { asCommandError } from '../../commands/failure';
import { t } from '../../i18n';
import { hands, modifiers, scrollKeys } from '../../keyboard/hands';
import { sayFailed } from '../../state/notify';
import type { Session } from '../../state/session';
import { useStore } from '../../state/store';
import { useWeft } from '../../state/weft';
import type { Style } from '../../transcript/style';
import type { Spot, Target } from '../find/spot';
import type { Marks } from '../find/useMarks';
import { leaveFocus } from '../parts/focusInView';
import { over } from '../parts/over';
import { focusIsLost } from '../parts/returnFocus';
import { inRequest } from '../tools/requests';
import { disclosuresOf } from './memory';
import type { TranscriptModel } from './model';
import { openTo } from './reveal';
import { aimAt, listMargin, type RowScroll } from './rowScroll';
import type { Row } from './rows';

/** Space above a message that was gone to. */
const above = 12;
/** How far down in the view a match is put, as a part of its height. */
const down = 0.3;
/** How far down a match has to be, so that nothing covers it. */
const below = 56;
/** How many frames a place must stay where it is before scrolling ends, and how many frames to wait for that. */
const idleDelay = 20;
const timeout = 240;
/** Frames after which the row is looked for once more. */
const lost = 4;
/** Frames after which a match that is not drawn is shown apart. */
const undrawn = 45;
/** How long the place that was gone to stands out, in ms. */
const stands = 1600;

interface Reveal {
  session: Session;
  model: TranscriptModel;
  rows: readonly Row[];
  /** How the rows are drawn. */
  style: Style;
  list: RefObject<VirtualizerHandle | null>;
  scroller: RefObject<HTMLDivElement | null>;
  scroll: RowScroll;
  spot: Spot;
  marks: Marks;
  hold(): void;
}

export interface Goes {
  go(target: Target): Promise<void>;
  /** Puts the focus at the place that was gone to last; false if it is not in the page, or the user has gone elsewhere since. */
  focus(): boolean;
  /** How often the user has gone elsewhere. */
  left(): number;
  /** The user goes elsewhere: the place that was gone to doesn't bring the view back, also if it is still being read. */
  leave(): void;
  /** Whether the user has gone to a place since they left. */
  isGoing(): boolean;
}

/** Goes to places: reads the stretch around them, opens what is closed, and keeps them in view until they have stopped moving. */
export function useReveal(reveal: Reveal): Goes {
  const { session, model, rows, style, list, scroller, scroll, spot, marks, hold } = reveal;
  const weft = useWeft();
  const pin = useRef<Pin | null>(null);
  /** The target whose place is not drawn yet. */
  const missing = useRef<Target | null>(null);
  /** The target that is read and brought into the view; null once the user has gone elsewhere. */
  const going = useRef<Target | null>(null);
  /** What was searched for when the user went there. */
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
      // A match that can be seen is not moved.
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
      leaveFocus();
      try {
        await session.openAt(target.place);
      } catch (error) {
        if (going.current === target) sayFailed(t('failed.place'), error);
        return;
      }
      if (going.current !== target) return;
      const { conversation } = session.store.get();
      if (!conversation.messages.some(({ id }) => id === target.place.messageId)) {
        sayFailed(t('failed.place'), asCommandError(new Error(t('places.gone'))));
        return;
      }
      if (!place(target)) missing.current = target;
    },
    [session, scroll, spot, place, marks, hold],
  );

  // The place is drawn with rows that come later.
  // biome-ignore lint/correctness/useExhaustiveDependencies: with each change of the rows, and of what is shown in them
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

  // What a search elsewhere has found stays marked until the user has seen it.
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
    session.stay();
  }, [session, scroll]);
  const isGoing = useCallback(() => going.current !== null, []);
  return useMemo(() => ({ go, focus, left, leave, isGoing }), [go, focus, left, leave, isGoing]);
}

/** What is drawn of a row; null for one that is not in the page. */
function rowOf(scroller: HTMLElement, key: string): HTMLElement | null {
  // The row itself has no box.
  return scroller.querySelector<HTMLElement>(`[data-row="${CSS.escape(key)}"] > *`);
}

/** Whether a row is in the page already, and at least a part of it in the view. */
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
  /** What was searched for when the user went there; empty for nothing. */
  query: string;
  row: string;
  inside: string;
  marks: Marks;
  spot: Spot;
  /** Brings the row into the view. */
  again(): void;
}

/** Keeps a place where it is in the view while what is around it loads and grows, until it is still or the user takes over. */
class Pin {
  private frame = 0;
  private frames = 0;
  private still = 0;
  /** Where in the view it is to be; found out once. */
  private want: number | null = null;
  private arrived: Element | null = null;
  private timer: ReturnType<typeof setTimeout> | undefined;
  /** Whether the user has pressed a key or a button since it began. */
  private touched = false;
  private readonly of: PinOptions;

  constructor(of: PinOptions) {
    this.of = of;
    for (const name of hands) of.element.addEventListener(name, this.stop, { passive: true });
    window.addEventListener('keydown', this.keyed, { capture: true });
    window.addEventListener('pointerdown', this.pointed, { capture: true });
    this.step();
  }

  readonly stop = (): void => {
    cancelAnimationFrame(this.frame);
    for (const name of hands) this.of.element.removeEventListener(name, this.stop);
    window.removeEventListener('keydown', this.keyed, { capture: true });
    window.removeEventListener('pointerdown', this.pointed, { capture: true });
  };

  private readonly pointed = (): void => {
    this.touched = true;
  };

  /** Only keys that scroll take over: whoever types in the search stays where he is. */
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
    // The list guesses the heights of rows that it has not drawn, so that it may miss.
    else if (this.frames % lost === 0) this.of.again();
    if (at === null || !at.final) this.still = 0;
    if (at !== null && !at.final && this.frames === undrawn && target.opens) spot.set({ apart: true });
    // What can't be drawn at all is at least where it stands out.
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

  /** Where the place is now. It is final when its match is drawn. */
  private find(): { box: DOMRect; part: Element | null; range: Range | null; final: boolean } | null {
    const { element, target, query, row, marks, spot } = this.of;
    const whole = rowOf(element, row);
    if (whole === null) return null;
    const part = this.part();
    if (target.mark === null) this.stand(part);
    if (target.mark === null)
      return { box: (part ?? whole).getBoundingClientRect(), part, range: null, final: part !== null };
    const range = this.match(part);
    // The user may have left the search while the place was fetched, or search for something else.
    if (query !== '' && spot.get().query === query) marks.setNow(range, () => this.match(this.part()));
    if (range === null) return { box: (part ?? whole).getBoundingClientRect(), part, range, final: false };
    openAround(range);
    scrollInside(range, element);
    return { box: range.getBoundingClientRect(), part, range, final: true };
  }

  /** What is drawn of the place. */
  private part(): HTMLElement | null {
    const { element, row, inside } = this.of;
    const whole = rowOf(element, row);
    return inside === '' ? whole : (whole?.querySelector(`[data-at="${CSS.escape(inside)}"]`) ?? null);
  }

  private match(part: Element | null): Range | null {
    const { target, marks } = this.of;
    if (part === null || target.mark === null) return null;
    // The line of a call repeats the beginning of what is below it, and cuts it off.
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
      // The search is at the top of the view.
      const fits = top >= below && top + Math.min(box.height, 40) <= view.height - above;
      this.want = target.mark === null ? above + listMargin : fits ? top : view.height * down;
    }
    const off = Math.round(top - this.want);
    if (Math.abs(off) > 1) {
      const before = element.scrollTop;
      element.scrollTop += off;
      // At an end of the conversation it can't be where it is to be.
      if (element.scrollTop !== before) {
        this.still = 0;
        return;
      }
    }
    this.still++;
  }

  /** Lets the place stand out for a moment. */
  private stand(part: Element | null): void {
    if (part === this.arrived || this.of.target.view !== null) return;
    this.arrived?.removeAttribute('data-arrived');
    this.arrived = part;
    part?.setAttribute('data-arrived', '');
    clearTimeout(this.timer);
    this.timer = setTimeout(() => part?.removeAttribute('data-arrived'), stands);
  }

  private finish(): void {
    if (!this.of.target.opens) return;
    // Whoever types in the search continues to do so, and whoever came for a request is in it.
    const active = document.activeElement;
    if (active?.closest('.find-bar') != null) return;
    // Who has gone elsewhere meanwhile, or writes on, stays there, and what was opened has the focus for itself.
    if (this.touched && !focusIsLost()) return;
    if (document.querySelector(over) !== null) return;
    if (!inRequest() || this.part()?.contains(active) !== true) this.focus();
  }

  /** Puts the focus at the place; false where it is not in the page any more. */
  focus(): boolean {
    const part = this.part() ?? rowOf(this.of.element, this.of.row);
    if (part === null) return false;
    const range = this.match(part);
    if (range !== null) this.of.spot.set({ selected: new StaticRange(range) });
    focusPlace(part, range);
    return true;
  }
}

/** Puts the focus where a place is, and selects the match there, so that keys continue from it. */
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

/** Opens the folds of a text that a match is in. */
function openAround(range: Range): void {
  for (let at = range.startContainer.parentElement; at !== null; at = at.parentElement)
    if (at instanceof HTMLDetailsElement && !at.open) at.open = true;
}

/** Scrolls the boxes that a match is in, up to the transcript, so that it is in their view. */
function scrollInside(range: Range, scroller: HTMLElement): void {
  for (let at = range.startContainer.parentElement; at !== null && at !== scroller; at = at.parentElement) {
    if (at.scrollHeight <= at.clientHeight + 1 && at.scrollWidth <= at.clientWidth + 1) continue;
    // What a line cuts off is not scrolled to: nobody could scroll it back.
    if (getComputedStyle(at).textOverflow === 'ellipsis') continue;
    const box = range.getBoundingClientRect();
    const view = at.getBoundingClientRect();
    if (box.top < view.top || box.bottom > view.bottom)
      at.scrollTop += box.top - view.top - at.clientHeight * down;
    if (box.left < view.left || box.right > view.right)
      at.scrollLeft += box.left - view.left - at.clientWidth * down;
  }
}
