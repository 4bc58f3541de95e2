import { isTyping } from '../../keyboard/actions';
import { digitOf } from '../../keyboard/layout';
import { modifiers } from '../../keyboard/pointerEvents';
import { openOverlays } from '../parts/openOverlays';
import { returnFocus } from '../parts/returnFocus';

/**
 * How long a request accepts no answer after it appeared or moved, because the key or click was meant for something
 * else.
 */
export const answerDelay = 500;

/** The details of the inbox, which show one request. */
const requestPane = '[data-request-pane]';
/** The scroll containers of requests. */
export const scrollers = `[role=log], ${requestPane}`;

interface NewRequest {
  element: HTMLElement;
  /** Its ids. */
  ids: readonly string[];
  /** Chooses the nth option, counted from 1; absent for a form. */
  choose?(n: number): void;
  /** The number of options. */
  count?: number;
  /** Reports whether the nth option also answers later requests. */
  lasts?(n: number): boolean;
  /** Called before scrolling to it, so that the view stays there. */
  reveal?(): void;
}

interface RegisteredRequest extends NewRequest {
  /** When it arrived, by the clock of events. */
  since: number;
}

// The visible requests. They never take the focus automatically: the user moves to one, and the focused one handles
// keys. Number keys also work for the only one in view, unless the user is typing.
const registered: RegisteredRequest[] = [];

export function registerRequest(offer: NewRequest): () => void {
  const request = { ...offer, since: performance.now() };
  registered.push(request);
  notifyRequests();
  return () => {
    registered.splice(registered.indexOf(request), 1);
    notifyRequests();
  };
}

const listeners = new Set<() => void>();

function notifyRequests(): void {
  for (const listener of listeners) listener();
}

/** Calls `listener` when a request is added or removed. */
export function onRequests(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Whether number keys answer a request now: alone, with Alt, or not at all. */
export type AnswerKey = 'plain' | 'alt' | 'none';

export function answerKeyOf(element: HTMLElement): AnswerKey {
  const active = document.activeElement;
  if (active !== null && element.contains(active) && !isTyping(active)) return 'plain';
  const pane = element.closest(requestPane);
  if (pane !== null) return shownIn(pane).length === 1 && !isTyping(active) ? 'plain' : 'none';
  if (onlyInView()?.element !== element) return 'none';
  return isFree(active) ? 'plain' : 'alt';
}

/** The requests inside an element. */
const shownIn = (within: Element): RegisteredRequest[] =>
  registered.filter(({ element }) => within.contains(element));

/** The request of the thread in view, if there is exactly one. The inbox has its own keys: see `answerShown`. */
function onlyInView(): RegisteredRequest | undefined {
  const seen = registered.filter(
    ({ element }) => element.closest(requestPane) === null && isPartlyInView(element),
  );
  return seen.length === 1 ? seen[0] : undefined;
}

function isPartlyInView(element: HTMLElement): boolean {
  const { top, bottom } = element.getBoundingClientRect();
  const view = element.closest(scrollers)?.getBoundingClientRect();
  return bottom >= (view?.top ?? 0) && top <= (view?.bottom ?? window.innerHeight);
}

/** Reports whether keys are unused at the focus: in the thread, in an empty prompt, nowhere. */
function isFree(target: EventTarget | null): boolean {
  if (target === null || target === document.body) return true;
  if (!(target instanceof HTMLElement)) return false;
  if (target instanceof HTMLTextAreaElement && target.classList.contains('composer-field'))
    return target.value === '';
  return !isTyping(target) && target.closest(scrollers) !== null;
}

/** Reports whether there is a request. */
export function hasRequests(): boolean {
  return registered.length > 0;
}

/** Reports whether an element covers a request. */
export function isOverRequest(above: HTMLElement): boolean {
  if (!hasRequests()) return false;
  const { top, bottom, left, right } = above.getBoundingClientRect();
  return registered.some(({ element }) => {
    const box = element.getBoundingClientRect();
    return box.top < bottom && box.bottom > top && box.left < right && box.right > left;
  });
}

/**
 * Answers a request with a number key: the focused one, else the only one in view. With Alt, this works even while
 * typing. Reports whether there was one to answer.
 */
export function answerByKey(event: KeyboardEvent): boolean {
  if (event.ctrlKey || event.metaKey) return false;
  const digit = digitOf(event) ?? 0;
  if (event.altKey) return digit > 0 && answerOnly(event, digit);
  // In a field, only an actual digit counts: on a French keyboard, a prompt may start with the letter of the key 2.
  if (isTyping(event.target))
    return /^[1-9]$/.test(event.key) && isFree(event.target) && answerOnly(event, digit, true);
  if (digit === 0) return false;
  const focused = registered.find(
    ({ element, choose }) => choose !== undefined && element.contains(event.target as Node),
  );
  if (focused === undefined) return isFree(event.target) && answerOnly(event, digit);
  if (!event.repeat) focused.choose?.(digit);
  return true;
}

/** Reports whether a request arrived after a key was pressed, even if the key is handled later. */
function isNew({ since }: RegisteredRequest, event: KeyboardEvent): boolean {
  return event.timeStamp - since < answerDelay;
}

/**
 * Answers the only request in view, or scrolls its answers into view. A key pressed before it may be answered belongs
 * to the field if typed in one, and is ignored otherwise.
 */
function answerOnly(event: KeyboardEvent, n: number, typed = false): boolean {
  const only = onlyInView();
  if (only?.choose === undefined || n > (only.count ?? 0)) return false;
  // A prompt may begin with a digit: what answers more than this request takes Alt or the focus.
  if (typed && only.lasts?.(n) === true) return false;
  if (isNew(only, event)) return !typed;
  if (event.repeat) return true;
  const answers = only.element.querySelector<HTMLElement>('[data-answers]');
  if (answers !== null && !isInView(answers)) {
    only.reveal?.();
    answers.scrollIntoView({ block: 'nearest' });
  } else only.choose(n);
  return true;
}

/**
 * Answers the one request inside an element without needing the focus: the inbox shows one at a time. The same
 * protections apply as in the thread, and a key counts from when it was pressed, even if it is handled later. If the
 * answers are not in view, scrolls to them and chooses nothing.
 */
export function answerShown(within: HTMLElement, event: KeyboardEvent): void {
  const shown = shownIn(within);
  const [only] = shown;
  if (only?.choose === undefined || shown.length > 1 || event.repeat) return;
  if (isNew(only, event)) return;
  const answers = only.element.querySelector('[data-answers]');
  if (answers !== null && !isWithin(answers, within)) {
    answers.scrollIntoView({ block: 'nearest' });
    return;
  }
  only.choose(digitOf(event) ?? 0);
}

function isWithin(element: Element, view: Element): boolean {
  const box = element.getBoundingClientRect();
  const around = view.getBoundingClientRect();
  return box.top >= around.top - 1 && box.bottom <= around.bottom + 1;
}

/** Focuses the request inside an element, if there is one. */
export function enterShown(within: HTMLElement): boolean {
  const [shown] = shownIn(within);
  if (shown === undefined) return false;
  focusEntry(shown.element);
  return true;
}

function focusEntry(element: HTMLElement): void {
  const entry = entryOf(element);
  entry.focus({ preventScroll: true });
  entry.scrollIntoView({ block: 'nearest' });
}

/** Sorts requests by their position on the page. */
function inPage(requests: readonly RegisteredRequest[]): RegisteredRequest[] {
  return requests.toSorted((a, b) =>
    a.element.compareDocumentPosition(b.element) & Node.DOCUMENT_POSITION_FOLLOWING ? -1 : 1,
  );
}

const fields = 'input:not(:disabled), select:not(:disabled), textarea:not(:disabled)';

/**
 * The element of a request that takes the focus: the first field of a form, else the request itself. Never an answer.
 */
export function entryOf(within: HTMLElement): HTMLElement {
  return within.querySelector<HTMLElement>(`[data-entry] :is(${fields})`) ?? within;
}

// The space in which the user wants to see a request, and which one unless it is any.
let wanted: { spaceId: string; requestId: string; waiting: AbortController } | null = null;

/** Returns a wait that is aborted when the user does something else: presses a key or clicks. Abort it when it is over. */
function untilMovedOn(): AbortController {
  const waiting = new AbortController();
  const moveOn = (event: Event) => {
    if (event instanceof KeyboardEvent && (modifiers.test(event.key) || event.repeat)) return;
    waiting.abort();
  };
  const early = { capture: true, signal: waiting.signal };
  window.addEventListener('keydown', moveOn, early);
  window.addEventListener('pointerdown', moveOn, early);
  return waiting;
}

/** Makes the next request of the space, or the one with the id, take the focus, unless the user moves on first. */
export function wantRequest(spaceId: string, requestId = ''): void {
  hasFocus();
  wanted = { spaceId, requestId, waiting: untilMovedOn() };
}

/** Reports whether a request, which may have several ids, is the wanted one. */
export function isWanted(spaceId: string, ids: readonly string[] = []): boolean {
  if (wanted === null || wanted.waiting.signal.aborted || wanted.spaceId !== spaceId) return false;
  if (wanted.requestId !== '' && !ids.includes(wanted.requestId)) return false;
  return document.querySelector(openOverlays) === null;
}

export function hasFocus(): void {
  wanted?.waiting.abort();
  wanted = null;
}

/** Reports whether the focus is in a request. */
export function inRequest(): boolean {
  return registered.some(({ element }) => element.contains(document.activeElement));
}

// The focus before the user moved to a request.
let origin: HTMLElement | null = null;

/** Records that a request got the focus, and where it was before. */
export function enteredRequest(from: EventTarget | null): void {
  if (!(from instanceof HTMLElement) || from.closest('[role=menu]') !== null) return;
  if (!registered.some(({ element }) => element.contains(from))) origin = from;
}

/**
 * Restores the focus when an answered request disappears: to the next request, else to where it was before, else to the
 * prompt. An element focused meanwhile keeps it.
 */
export function leaveRequest(gone: HTMLElement): void {
  const others = inPage(registered.filter(({ element }) => element !== gone));
  const next = others.find(
    ({ element }) => (gone.compareDocumentPosition(element) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0,
  );
  returnFocus(
    () => (next ?? others[0])?.element,
    () => origin,
  );
}

/** Reports whether all of a request is in view without scrolling. */
export function isInView(element: HTMLElement): boolean {
  const { top, bottom } = element.getBoundingClientRect();
  const view = element.closest(scrollers)?.getBoundingClientRect();
  return top >= (view?.top ?? 0) && bottom <= (view?.bottom ?? window.innerHeight);
}

/** Focuses the first request, or the one after the focused one. */
export function focusRequest(): boolean {
  const order = inPage(registered);
  const at = order.findIndex(({ element }) => element.contains(document.activeElement));
  return enter(order[(at + 1) % order.length]);
}

/** Focuses the request with an id if it exists. */
export function enterRequest(id: string): boolean {
  return enter(registered.find(({ ids }) => ids.includes(id)));
}

/**
 * Focuses a request as soon as it is visible, which a card that just came isn't yet, and which may take a while in a
 * hidden window; unless the user moves on first.
 */
function enter(asked: RegisteredRequest | undefined): boolean {
  if (asked === undefined) return false;
  const waiting = untilMovedOn();
  const look = () => {
    if (waiting.signal.aborted) return;
    if (!registered.includes(asked)) waiting.abort();
    else if (getComputedStyle(asked.element).visibility !== 'visible') requestAnimationFrame(look);
    else {
      waiting.abort();
      if (!isInView(asked.element)) asked.reveal?.();
      focusEntry(asked.element);
    }
  };
  look();
  return true;
}
