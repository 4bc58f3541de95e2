import { type KeyboardEvent as ReactKeyboardEvent, type RefObject, useEffect, useRef } from 'react';
import { isTyping } from '../../keyboard/actions';
import { digitOf, keyOf } from '../../keyboard/layout';
import { answerShown, inRequest } from '../tools/requests';

interface InboxActions {
  list: RefObject<HTMLElement | null>;
  pane: RefObject<HTMLElement | null>;
  /** The selected request is visible and pending. */
  answerable: boolean;
  move(by: number): void;
  first(): void;
  last(): void;
  enter(): void;
  /** Moves the focus into the details. */
  inside(): void;
  dismiss(): void;
  /** Undoes the latest answer. */
  undo(): void;
  leave(): void;
}

/**
 * The shortcuts of the inbox. Text fields, menus and dialogs keep their keys. If nothing has the focus, for example
 * right after a dialog, the keys still belong to the inbox.
 */
export function useInboxKeys(doings: InboxActions): (event: ReactKeyboardEvent) => void {
  const latest = useRef(doings);
  latest.current = doings;
  useEffect(() => {
    const unfocused = (event: KeyboardEvent) => {
      if (event.target === document.body) take(event, latest.current);
    };
    window.addEventListener('keydown', unfocused);
    return () => window.removeEventListener('keydown', unfocused);
  }, []);
  return ({ nativeEvent }) => take(nativeEvent, doings);
}

function take(event: KeyboardEvent, doings: InboxActions): void {
  const { list, pane, answerable, move, first, last, enter, inside, dismiss, undo, leave } = doings;
  const target = event.target as HTMLElement;
  if (event.defaultPrevented || event.isComposing) return;
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (target.closest('[role=menu], [role=dialog], [role=alertdialog]') !== null) return;
  const within = pane.current?.contains(target) === true;
  const done = () => {
    event.preventDefault();
    event.stopPropagation();
  };
  if (event.key === 'Escape') {
    done();
    // First out of the details, then out of the inbox.
    if (within && target !== pane.current && list.current !== null) list.current.focus();
    else leave();
    return;
  }
  // A form keeps its keys.
  if (isTyping(target) || target.closest('form') !== null) return;
  if (digitOf(event)) {
    // A focused request handles its keys as in the conversation.
    if (inRequest()) return;
    done();
    if (answerable && pane.current !== null) answerShown(pane.current, event);
    return;
  }
  const onControl = target.closest('button, a, summary, [role=radio], [role=checkbox], input') !== null;
  const act = keyed(keyOf(event), event.repeat, within, onControl);
  if (act === null) return;
  done();
  act();

  function keyed(key: string, repeat: boolean, within: boolean, onControl: boolean): (() => void) | null {
    switch (key) {
      case 'j':
        return () => move(1);
      case 'k':
        return () => move(-1);
      case 'd':
      case 'backspace':
        return repeat ? null : dismiss;
      case 'u':
        return repeat ? null : undo;
    }
    if (within && inRequest()) return null;
    switch (key) {
      case 'arrowdown':
        return within ? null : () => move(1);
      case 'arrowup':
        return within ? null : () => move(-1);
      case 'home':
        return within ? null : first;
      case 'end':
        return within ? null : last;
      case 'arrowright':
        return within || onControl ? null : inside;
      case 'enter':
        return repeat || onControl ? null : enter;
      default:
        return null;
    }
  }
}
