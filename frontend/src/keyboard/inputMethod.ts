/**
 * Keeps the keys of an input method to it: the Enter that accepts a word of Chinese or Japanese must not send the prompt.
 * WebKit ends the composition before it reports that Enter, and has it as key 229 like the others. Terminals do this
 * themselves. The answer undoes it.
 */
export function sparesInputMethod(page: Window): () => void {
  const keep = (event: KeyboardEvent) => {
    if (!event.isComposing && event.keyCode !== inProcess) return;
    if (event.target instanceof Element && event.target.closest('.xterm') !== null) return;
    event.stopImmediatePropagation();
  };
  page.addEventListener('keydown', keep, { capture: true });
  return () => page.removeEventListener('keydown', keep, { capture: true });
}

const inProcess = 229;
