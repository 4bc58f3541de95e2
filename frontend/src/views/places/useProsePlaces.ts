import { type ReactNode, type RefObject, useEffect, useRef } from 'react';
import type { FilePlace } from '../../state/shown';
import { hintOf, noScrolling } from './PlaceLink';
import { candidate, placeAt } from './place';
import { useExisting } from './useExisting';
import { usePlaceActions } from './usePlaceActions';
import './places.css';

/** Delay after a text has changed, in milliseconds. */
const settle = 150;
/** Most words of a text that are checked. */
const most = 500;

/**
 * Turns names of existing files in rendered text into links: inline code that is exactly a path, and links to paths.
 * The text itself doesn't define what a click does; that is decided here. Returns the menu.
 */
export function useProsePlaces(root: RefObject<HTMLElement | null>, spaceId: string): ReactNode {
  const existing = useExisting(spaceId);
  const actions = usePlaceActions(spaceId);
  const latest = useRef(actions);
  latest.current = actions;

  useEffect(() => {
    const element = root.current;
    if (element === null) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let gone = false;
    let linked = false;
    const look = () => {
      timer = undefined;
      for (const word of wordsOf(element)) {
        const place = placeOf(word);
        const named = word.dataset['place'];
        if (place === null || (named !== undefined && named !== JSON.stringify(place))) unlink(word);
        if (place === null) continue;
        void existing.exists(place.path).then((exists) => {
          // The text may have changed meanwhile.
          if (!exists || gone || !word.isConnected || placeOf(word)?.path !== place.path) return;
          link(word, place);
          linked = true;
        });
      }
    };
    const observer = new MutationObserver(() => {
      // A re-rendered block gets its links at once.
      if (linked)
        for (const word of wordsOf(element)) {
          const place = placeOf(word);
          if (place !== null && existing.peek(place.path) === true) link(word, place);
        }
      clearTimeout(timer);
      timer = setTimeout(look, settle);
    });
    observer.observe(element, { childList: true, characterData: true, subtree: true });
    look();

    const on = (event: Event): [HTMLElement, FilePlace] | null => {
      const word = event.target instanceof Element ? event.target.closest<HTMLElement>('[data-place]') : null;
      if (word === null) return null;
      return [word, JSON.parse(word.dataset['place'] ?? '') as FilePlace];
    };
    const click = (event: MouseEvent) => {
      const found = on(event);
      if (found === null) return;
      // The user was selecting text, not clicking.
      if (event.button === 0 && window.getSelection()?.isCollapsed === false) return;
      latest.current.onClick(event, found[1], found[0]);
    };
    const key = (event: KeyboardEvent) => {
      const found = on(event);
      if (found !== null && event.target === found[0]) latest.current.onKey(event, found[1], found[0]);
    };
    const menu = (event: MouseEvent) => {
      const found = on(event);
      if (found !== null) latest.current.onMenu(event, found[1], found[0]);
    };
    const press = (event: MouseEvent) => {
      if (on(event) !== null) noScrolling(event);
    };
    element.addEventListener('click', click, true);
    element.addEventListener('auxclick', click, true);
    element.addEventListener('keydown', key, true);
    element.addEventListener('contextmenu', menu, true);
    element.addEventListener('mousedown', press, true);
    return () => {
      gone = true;
      clearTimeout(timer);
      observer.disconnect();
      element.removeEventListener('click', click, true);
      element.removeEventListener('auxclick', click, true);
      element.removeEventListener('keydown', key, true);
      element.removeEventListener('contextmenu', menu, true);
      element.removeEventListener('mousedown', press, true);
    };
  }, [root, existing]);
  return actions.menu;
}

/** Elements that may name a file: inline code, and links that the text itself can't open. */
function wordsOf(element: HTMLElement): HTMLElement[] {
  return [...element.querySelectorAll<HTMLElement>('code, .md-dead-link')]
    .slice(0, most)
    .filter((word) => word.closest('pre, a') === null);
}

/** The location that an element names; a link names it in its address. */
function placeOf(word: HTMLElement): FilePlace | null {
  if (word.tagName === 'CODE')
    return word.closest('.md-dead-link') === null ? candidate(word.textContent) : null;
  return placeAt(word.dataset['address'] ?? word.title);
}

function link(word: HTMLElement, place: FilePlace): void {
  const named = JSON.stringify(place);
  if (word.dataset['place'] === named) return;
  if (word.tagName !== 'CODE') word.dataset['address'] = word.title;
  word.dataset['place'] = named;
  word.classList.add('md-place');
  word.setAttribute('role', 'link');
  word.tabIndex = 0;
  word.title = hintOf(place.line > 0 ? `${place.path}:${place.line}` : place.path);
}

function unlink(word: HTMLElement): void {
  if (word.dataset['place'] === undefined) return;
  delete word.dataset['place'];
  word.classList.remove('md-place');
  for (const name of ['role', 'tabindex', 'title']) word.removeAttribute(name);
}
