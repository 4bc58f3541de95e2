/**
 * Leaves the keys of an input method alone: the Enter that accepts a Chinese or Japanese word must not send the prompt.
 * WebKit ends the composition before it reports that Enter, but reports it as key code 229 like the others. Terminals
 * handle this themselves. Returns a function that removes the listeners.
 */
export function guardInputMethod(page: Window): () => void {
  const keep = (event: KeyboardEvent) => {
    if (!event.isComposing && event.keyCode !== inProcess) return;
    if (event.target instanceof Element && event.target.closest('.xterm') !== null) return;
    event.stopImmediatePropagation();
  };
  page.addEventListener('keydown', keep, { capture: true });
  return () => page.removeEventListener('keydown', keep, { capture: true });
}

const inProcess = 229;
