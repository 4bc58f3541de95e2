import { isTyping } from '../../keyboard/actions';
import { modifiers } from '../../keyboard/hands';
import { digitOf } from '../../keyboard/layout';
import { over } from '../parts/over';
import { returnFocus } from '../parts/returnFocus';

/** A request takes no answer for this long after it appeared or moved: the key or click was meant for something else. */
export const rest = 500;

/** What requests scroll in. */
export const scrollers = '[role=log], [data-request-pane]';

interface Offer {
  element: HTMLElement;
  /** What it is known by. */
  ids: readonly string[];
  /** Chooses the nth option, counted from 1; a form has none. */
  choose?(n: number): void;
  /** How many options there are. */
  count?: number;
  /** Called before it is scrolled to, so that the view stays there. */
  reveal?(): void;
}

interface Offered extends Offer {
  /** When it came, by the clock of events. */
  since: number;
}

// The requests on the screen. They never take the focus by themselves: the user goes to one, and the one that has the
// focus takes keys. Numbers are also for the only one that is in view, where nothing is written.
const offered: Offered[] = [];

export function offerRequest(offer: Offer): () => void {
  const request = { ...offer, since: performance.now() };
  offered.push(request);
  tellOffered();
  return () => {
    offered.splice(offered.indexOf(request), 1);
    tellOffered();
  };
}

const listeners = new Set<() => void>();

function tellOffered(): void {
  for (const listener of listeners) listener();
}

/** Calls listener when a request comes or goes. */
export function onOffered(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Whether number keys answer a request now: alone, with Alt, or not at all. */
export type AnswerKey = 'plain' | 'alt' | 'none';

export function answerKeyOf(element: HTMLElement): AnswerKey {
  const active = document.activeElement;
  if (active !== null && element.contains(active) && !isTyping(active)) return 'plain';
  if (onlyInView()?.element !== element) return 'none';
  return isFree(active) ? 'plain' : 'alt';
}

/** The request in the thread that is in view, if it is only one. The inbox has keys of its own. */
function onlyInView(): Offered | undefined {
  const seen = offered.filter(
    ({ element }) => element.closest('[data-request-pane]') === null && isPartlyInView(element),
  );
  return seen.length === 1 ? seen[0] : undefined;
}

function isPartlyInView(element: HTMLElement): boolean {
  const { top, bottom } = element.getBoundingClientRect();
  const view = element.closest(scrollers)?.getBoundingClientRect();
  return bottom >= (view?.top ?? 0) && top <= (view?.bottom ?? window.innerHeight);
}

/** Whether keys mean nothing where the focus is: in the thread, in an empty prompt, nowhere. */
function isFree(target: EventTarget | null): boolean {
  if (target === null || target === document.body) return true;
  if (!(target instanceof HTMLElement)) return false;
  if (target instanceof HTMLTextAreaElement && target.classList.contains('composer-field'))
    return target.value === '';
  return !isTyping(target) && target.closest(scrollers) !== null;
}

/** Whether there is a request. */
export function areOffered(): boolean {
  return offered.length > 0;
}

/** Whether an element is over a request. */
export function isOverRequest(above: HTMLElement): boolean {
  if (!areOffered()) return false;
  const { top, bottom, left, right } = above.getBoundingClientRect();
  return offered.some(({ element }) => {
    const box = element.getBoundingClientRect();
    return box.top < bottom && box.bottom > top && box.left < right && box.right > left;
  });
}

/**
 * Answers a request by a number key: the one that has the focus, else the only one in view. Alt and a number does so also
 * while something is written. Reports whether there was one to answer.
 */
export function answerByKey(event: KeyboardEvent): boolean {
  if (event.ctrlKey || event.metaKey) return false;
  const digit = digitOf(event) ?? 0;
  if (event.altKey) return digit > 0 && answerOnly(event, digit);
  // In a field only a digit is one: on a French keyboard, a prompt may begin with the letter of the key 2.
  if (isTyping(event.target))
    return /^[1-9]$/.test(event.key) && isFree(event.target) && answerOnly(event, digit, true);
  if (digit === 0) return false;
  const focused = offered.find(
    ({ element, choose }) => choose !== undefined && element.contains(event.target as Node),
  );
  if (focused === undefined) return isFree(event.target) && answerOnly(event, digit);
  if (!event.repeat) focused.choose?.(digit);
  return true;
}

/** Whether a request has come while a key was on its way: it counts from when it was pressed, not from when the window came to it. */
function isNew({ since }: Offered, event: KeyboardEvent): boolean {
  return event.timeStamp - since < rest;
}

/**
 * Answers the only request in view, or brings its answers there where they are not. A key that comes before it may be answered
 * is the field's, if it is typed in one, and else nobody's.
 */
function answerOnly(event: KeyboardEvent, n: number, typed = false): boolean {
  const only = onlyInView();
  if (only?.choose === undefined || n > (only.count ?? 0)) return false;
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
 * Answers the one request that is shown within an element, which need not have the focus: the inbox shows one at a time. All
 * that holds for a request in the thread holds here, too, and a key counts from when it was pressed, not from when the window
 * came to it. Where its answers are not in view, they are brought there and nothing is chosen.
 */
export function answerShown(within: HTMLElement, event: KeyboardEvent): void {
  const shown = offered.filter(({ element }) => within.contains(element));
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

/** Puts the focus on the request that is shown within an element, if it is one. */
export function enterShown(within: HTMLElement): boolean {
  const shown = offered.find(({ element }) => within.contains(element));
  if (shown === undefined) return false;
  focusEntry(shown.element);
  return true;
}

function focusEntry(element: HTMLElement): void {
  const entry = entryOf(element);
  entry.focus({ preventScroll: true });
  entry.scrollIntoView({ block: 'nearest' });
}

/** In the order in which they are in the page. */
function inPage(requests: readonly Offered[]): Offered[] {
  return requests.toSorted((a, b) =>
    a.element.compareDocumentPosition(b.element) & Node.DOCUMENT_POSITION_FOLLOWING ? -1 : 1,
  );
}

const fields = 'input:not(:disabled), select:not(:disabled), textarea:not(:disabled)';

/** Where the focus goes in a request: to the first field of a form, else to the request itself. Never to an answer. */
export function entryOf(within: HTMLElement): HTMLElement {
  return within.querySelector<HTMLElement>(`[data-entry] :is(${fields})`) ?? within;
}

// The space of which the user has asked to see a request, and which one if it is not any.
let wanted: { spaceId: string; requestId: string } | null = null;

/**
 * The next request of the space, or the one with the id, takes the focus, unless the user does something else first: a key or
 * a click shows that they are somewhere else by then.
 */
export function wantRequest(spaceId: string, requestId = ''): void {
  hasFocus();
  wanted = { spaceId, requestId };
  window.addEventListener('keydown', otherwise, true);
  window.addEventListener('pointerdown', hasFocus, true);
}

function otherwise(event: KeyboardEvent): void {
  if (!modifiers.test(event.key) && !event.repeat) hasFocus();
}

/** Whether a request, which may have several ids, is the one. */
export function isWanted(spaceId: string, ids: readonly string[] = []): boolean {
  if (wanted?.spaceId !== spaceId || (wanted.requestId !== '' && !ids.includes(wanted.requestId)))
    return false;
  return document.querySelector(over) === null;
}

export function hasFocus(): void {
  wanted = null;
  window.removeEventListener('keydown', otherwise, true);
  window.removeEventListener('pointerdown', hasFocus, true);
}

/** Whether the user is at a request already. */
export function inRequest(): boolean {
  return offered.some(({ element }) => element.contains(document.activeElement));
}

// Where the user was before they went to a request.
let origin: HTMLElement | null = null;

/** Notes that a request got the focus, and what had it before. */
export function enteredRequest(from: EventTarget | null): void {
  if (!(from instanceof HTMLElement) || from.closest('[role=menu]') !== null) return;
  if (!offered.some(({ element }) => element.contains(from))) origin = from;
}

/**
 * A request that the user has answered goes away. The focus that goes with it returns to the next request, else to where the user
 * was, else to the prompt. Whoever has it by then keeps it.
 */
export function leaveRequest(gone: HTMLElement): void {
  const others = inPage(offered.filter(({ element }) => element !== gone));
  const next = others.find(
    ({ element }) => (gone.compareDocumentPosition(element) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0,
  );
  returnFocus(
    () => (next ?? others[0])?.element,
    () => origin,
  );
}

/** Whether all of a request is in sight, so that nothing has to be scrolled to. */
export function isInView(element: HTMLElement): boolean {
  const { top, bottom } = element.getBoundingClientRect();
  const view = element.closest(scrollers)?.getBoundingClientRect();
  return top >= (view?.top ?? 0) && bottom <= (view?.bottom ?? window.innerHeight);
}

/** Puts the focus on the first request that is there, or on the one after that which has it. */
export function focusRequest(): boolean {
  const order = inPage(offered);
  const at = order.findIndex(({ element }) => element.contains(document.activeElement));
  return enter(order[(at + 1) % order.length]);
}

/**
 * Puts the focus on the request with an id, if it is there: as soon as it is drawn, which the row of one that has just come to a hidden
 * window isn't yet.
 */
export function enterRequest(id: string): boolean {
  const asked = offered.find(({ ids }) => ids.includes(id));
  if (asked === undefined) return false;
  const look = () => {
    if (!offered.includes(asked)) return;
    if (getComputedStyle(asked.element).visibility === 'visible') enter(asked);
    else requestAnimationFrame(look);
  };
  look();
  return true;
}

function enter(asked: Offered | undefined): boolean {
  if (asked === undefined) return false;
  if (!isInView(asked.element)) asked.reveal?.();
  focusEntry(asked.element);
  return true;
}
