import { isMac, isTyping } from './actions';
import { keyOf } from './layout';

/**
 * Keeps undo and redo in the field that has the focus: browsers also undo what was last typed in a field without it.
 * With `emulate`, Ctrl+Z undoes there, and Ctrl+Shift+Z and Ctrl+Y redo: the window on Linux has no such shortcuts,
 * although its fields keep an undo history. Terminals use these keys themselves. Returns a function that removes the
 * listener.
 */
export function addUndoKeys(page: Window, emulate: boolean): () => void {
  const press = (event: KeyboardEvent) => {
    if (event.defaultPrevented || event.isComposing || event.altKey) return;
    if (!event.ctrlKey && !event.metaKey) return;
    const key = keyOf(event);
    const redo = (key === 'z' && event.shiftKey) || (key === 'y' && !event.shiftKey);
    if (!redo && (key !== 'z' || event.shiftKey)) return;
    if (event.target instanceof Element && event.target.closest('.xterm') !== null) return;
    const typing = isTyping(event.target);
    if (typing && (!emulate || isMac || event.metaKey)) return;
    event.preventDefault();
    if (typing) page.document.execCommand(redo ? 'redo' : 'undo');
  };
  page.addEventListener('keydown', press);
  return () => page.removeEventListener('keydown', press);
}
