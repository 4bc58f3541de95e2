import { isMac, isTyping } from './actions';
import { keyOf } from './layout';

/**
 * Has Ctrl+Z undo in fields, Ctrl+Shift+Z and Ctrl+Y redo: the window on Linux has no keys of its own for that, though its
 * fields know what was done. Terminals have these keys for themselves. The answer undoes it.
 */
export function givesUndoKeys(page: Window): () => void {
  const press = (event: KeyboardEvent) => {
    if (isMac || event.defaultPrevented || event.isComposing) return;
    if (!event.ctrlKey || event.altKey || event.metaKey || !isTyping(event.target)) return;
    if (event.target instanceof Element && event.target.closest('.xterm') !== null) return;
    const key = keyOf(event);
    const redo = (key === 'z' && event.shiftKey) || (key === 'y' && !event.shiftKey);
    if (!redo && (key !== 'z' || event.shiftKey)) return;
    event.preventDefault();
    page.document.execCommand(redo ? 'redo' : 'undo');
  };
  page.addEventListener('keydown', press);
  return () => page.removeEventListener('keydown', press);
}
