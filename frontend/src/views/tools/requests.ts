import { isTyping } from '../../keyboard/actions';

interface Offered {
  element: HTMLElement;
  /** Chooses the nth option, counted from 1; a form has none. */
  choose?(n: number): void;
  /** Called before it is scrolled to, so that the view stays there. */
  reveal?(): void;
}

// The questions on the screen. A number answers the one that has the focus, else the first.
const offered: Offered[] = [];

export function offerRequest(request: Offered): () => void {
  offered.push(request);
  return () => {
    offered.splice(offered.indexOf(request), 1);
  };
}

/** Answers a question by a number key. Reports whether there was one to answer. */
export function answerByKey(event: KeyboardEvent): boolean {
  if (event.ctrlKey || event.metaKey || event.altKey || !/^[1-9]$/.test(event.key)) return false;
  if (isTyping(event.target)) return false;
  const asked = offered.filter(({ choose }) => choose !== undefined);
  const focused = asked.find(({ element }) => element.contains(document.activeElement));
  const one = focused ?? inPage(asked.filter(({ element }) => isSeen(element)))[0];
  one?.choose?.(Number(event.key));
  return one !== undefined;
}

/** In the order in which they stand in the page. */
function inPage(requests: readonly Offered[]): Offered[] {
  return requests.toSorted((a, b) =>
    a.element.compareDocumentPosition(b.element) & Node.DOCUMENT_POSITION_FOLLOWING ? -1 : 1,
  );
}

/** What is kept outside of the view is answered by nobody who does not see it. */
function isSeen(element: HTMLElement): boolean {
  const { top, bottom } = element.getBoundingClientRect();
  return bottom >= 0 && top <= window.innerHeight;
}

/** Where the focus goes in a question: its answers, else its first field. */
export function firstAnswer(within: HTMLElement | null | undefined): HTMLElement | null {
  const options = within?.querySelector<HTMLElement>('button.option');
  return (
    options ??
    within?.querySelector<HTMLElement>('input, select, textarea, button:not(.display-more)') ??
    null
  );
}

// The space whose question the person has asked to see.
let wanted: string | null = null;

/** The next question of the space takes the focus, whatever has it now. */
export function wantRequest(spaceId: string): void {
  wanted = spaceId;
}

export function isWanted(spaceId: string): boolean {
  return wanted === spaceId;
}

export function hasFocus(): void {
  wanted = null;
}

/** Whether the person is at a question already. */
export function inRequest(): boolean {
  return offered.some(({ element }) => element.contains(document.activeElement));
}

/** Puts the focus on the first question that is there. */
export function focusRequest(): boolean {
  const [asked] = inPage(offered);
  const first = firstAnswer(asked?.element);
  asked?.reveal?.();
  first?.focus();
  first?.scrollIntoView({ block: 'nearest' });
  return first !== null;
}
