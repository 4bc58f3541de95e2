/**
 * Suppresses pointer moves that didn't happen. WebKit reports a move whenever something appears under a resting
 * pointer: a list that opens there would select that line, and Enter would run it. The element under the pointer still
 * gets enter and leave events. Returns a function that removes the listeners.
 */
export function ignoreRestingPointer(page: Window): () => void {
  let last: Pick<MouseEvent, 'clientX' | 'clientY' | 'screenX' | 'screenY'> | null = null;
  const note = ({ clientX, clientY, screenX, screenY }: MouseEvent) => {
    last = { clientX, clientY, screenX, screenY };
  };
  const move = (event: MouseEvent) => {
    // Its position in the page also changes when the window moves, and that on the screen when the browser learns late
    // where the window is; a pointer that moves changes both. The first position may be a report of a resting one.
    const rests =
      last === null ||
      (last.screenX === event.screenX && last.screenY === event.screenY) ||
      (last.clientX === event.clientX && last.clientY === event.clientY);
    // Each pointer move is reported twice (pointermove and mousemove); judge it once.
    if (event.type === 'mousemove') note(event);
    if (rests && event.buttons === 0) event.stopImmediatePropagation();
  };
  page.addEventListener('pointermove', move, { capture: true });
  page.addEventListener('mousemove', move, { capture: true });
  page.addEventListener('mousedown', note, { capture: true });
  return () => {
    page.removeEventListener('pointermove', move, { capture: true });
    page.removeEventListener('mousemove', move, { capture: true });
    page.removeEventListener('mousedown', note, { capture: true });
  };
}
