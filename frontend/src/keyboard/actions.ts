import { useEffect, useRef, useSyncExternalStore } from 'react';
import { isLetter, keyOf, type Pressed } from './layout';

/** Something that a user can do, by key, from the palette, and listed in the keyboard map. */
export interface Action {
  id: string;
  title: string;
  section: string;
  /** e.g. "mod+k", "alt+ArrowUp", "?": mod is Cmd on macOS and Ctrl elsewhere. */
  keys?: string;
  /** Words that find it besides its title. */
  keywords?: string[];
  /** Not in the palette: makes sense by key only. */
  keyOnly?: boolean;
  run(): void;
}

let groups: readonly (readonly Action[])[] = [];
let flat: readonly Action[] = [];
const listeners = new Set<() => void>();

function replace(before: readonly Action[] | null, after: readonly Action[] | null): void {
  groups = groups.filter((group) => group !== before);
  if (after !== null) groups = [...groups, after];
  flat = groups.flat();
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Offers actions for as long as the component is shown. Those offered last win their keys. */
export function useActions(actions: readonly Action[]): void {
  const latest = useRef(actions);
  latest.current = actions;
  const signature = actions
    .map((action) => `${action.id}\n${action.title}\n${action.keys ?? ''}`)
    .join('\n\n');
  // biome-ignore lint/correctness/useExhaustiveDependencies: the signature stands for the actions
  useEffect(() => {
    const offered = latest.current.map((action) => ({
      ...action,
      run: () => latest.current.find((one) => one.id === action.id)?.run(),
    }));
    replace(null, offered);
    return () => replace(offered, null);
  }, [signature]);
}

export function useOfferedActions(): readonly Action[] {
  return useSyncExternalStore(subscribe, () => flat);
}

/** Runs an action by its id if it is offered now, and reports whether it is. */
export function runAction(id: string): boolean {
  const action = flat.findLast((one) => one.id === id);
  action?.run();
  return action !== undefined;
}

export const isMac = /Mac|iPhone|iPad/.test(navigator.userAgent);

/** The action that a key press is for. While the user types, plain keys are text. */
export function actionFor(event: KeyboardEvent): Action | undefined {
  const typing = isTyping(event.target);
  for (let i = flat.length - 1; i >= 0; i--) {
    const action = flat[i];
    if (action?.keys === undefined || !matches(event, action.keys)) continue;
    if (typing && !/mod|alt/.test(action.keys)) continue;
    return action;
  }
  return undefined;
}

export function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable ||
      target.matches('input:not([type=checkbox]):not([type=radio]):not([type=range]), textarea, select'))
  );
}

export function matches(event: Pressed, keys: string): boolean {
  const parts = keys.split('+');
  const wanted = (parts.at(-1) ?? '').toLowerCase();
  const mod = isMac ? event.metaKey : event.ctrlKey;
  if (parts.includes('mod') !== mod) return false;
  if (parts.includes('alt') !== event.altKey) return false;
  const key = keyOf(event);
  // Shift is part of what makes a "?", on some keyboards a "0" or "=", too. There it decides only where it is named.
  const shifted = wanted.length === 1 && (!mod || !isLetter(wanted));
  if (parts.includes('shift') !== event.shiftKey && (!shifted || parts.includes('shift'))) return false;
  return key === wanted || (wanted === '=' && key === '+');
}

const symbols: Record<string, string> = {
  ArrowUp: '↑',
  ArrowDown: '↓',
  ArrowLeft: '←',
  ArrowRight: '→',
  Escape: 'Esc',
  mod: isMac ? '⌘' : 'Ctrl',
  alt: isMac ? '⌥' : 'Alt',
  shift: isMac ? '⇧' : 'Shift',
};

/** Keys as they are printed on the keyboard. */
export function printed(keys: string): string[] {
  return keys.split('+').map((key) => symbols[key] ?? (key.length === 1 ? key.toUpperCase() : key));
}

/** Keys as a sentence names them, such as "Ctrl+Shift+J". */
export function spelled(keys: string): string {
  return printed(keys).join('+');
}
