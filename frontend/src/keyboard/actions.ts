import { useEffect, useRef, useSyncExternalStore } from 'react';
import { isLetter, keyOf, type Pressed } from './layout';

/** A user action. It has a shortcut, is offered in the command palette, and is listed in the shortcut overview. */
export interface Action {
  id: string;
  title: string;
  section: string;
  /** e.g. "mod+k", "alt+ArrowUp", "?": mod is Cmd on macOS and Ctrl elsewhere. */
  keys?: string;
  /** Search terms besides the title. */
  keywords?: string[];
  /** Hidden from the palette because it only makes sense as a shortcut. */
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

/** Registers actions while the component is mounted. The last registration of a shortcut wins. */
export function useActions(actions: readonly Action[]): void {
  const latest = useRef(actions);
  latest.current = actions;
  const signature = actions
    .map((action) => `${action.id}\n${action.title}\n${action.keys ?? ''}`)
    .join('\n\n');
  // biome-ignore lint/correctness/useExhaustiveDependencies: the signature represents the actions
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

/** Runs a registered action by its id and reports whether it exists. */
export function runAction(id: string): boolean {
  const action = flat.findLast((one) => one.id === id);
  action?.run();
  return action !== undefined;
}

export const isMac = /Mac|iPhone|iPad/.test(navigator.userAgent);

/** Finds the action for a key press. While the user types, plain keys are text. */
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
  // Shift may be needed to type "?", and on some keyboards "0" or "=". For such keys, it only counts if the shortcut
  // names it.
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

/** Key labels as printed on the keyboard. */
export function keyLabels(keys: string): string[] {
  return keys.split('+').map((key) => symbols[key] ?? (key.length === 1 ? key.toUpperCase() : key));
}

/** A shortcut as text, such as "Ctrl+Shift+J". */
export function shortcutText(keys: string): string {
  return keyLabels(keys).join('+');
}
