/**
 * Keeps moves from the page that are none. WebKit reports one whenever something comes under a pointer that rests: a list that
 * opens there would have its line selected, and Enter would run that one. What is under the pointer still knows that it is there,
 * by what enters and leaves. The answer undoes it.
 */
export function sparesRestingPointer(page: Window): () => void {
  let last: { x: number; y: number } | null = null;
  /** A key was pressed since the pointer was last seen to move. */
  let keys = false;
  const note = (event: MouseEvent) => {
    last = { x: event.screenX, y: event.screenY };
  };
  const move = (event: MouseEvent) => {
    const rests = last === null ? keys : last.x === event.screenX && last.y === event.screenY;
    // The move of a pointer comes twice, and is judged once.
    if (event.type === 'mousemove') {
      note(event);
      if (!rests) keys = false;
    }
    if (rests && event.buttons === 0) event.stopImmediatePropagation();
  };
  const press = () => {
    keys = true;
  };
  page.addEventListener('pointermove', move, { capture: true });
  page.addEventListener('mousemove', move, { capture: true });
  page.addEventListener('mousedown', note, { capture: true });
  page.addEventListener('keydown', press, { capture: true });
  return () => {
    page.removeEventListener('pointermove', move, { capture: true });
    page.removeEventListener('mousemove', move, { capture: true });
    page.removeEventListener('mousedown', note, { capture: true });
    page.removeEventListener('keydown', press, { capture: true });
  };
}
