/**
 * Focuses an element in a row of the virtual list, and calls focused once it has the focus. A row that has just been
 * added is hidden until it is measured, so it can't take the focus in the first frames. Gives up when find returns no
 * element. Returns a function that stops this.
 */
export function focusRow(
  find: () => HTMLElement | null | undefined,
  focused: (element: HTMLElement) => void,
): () => void {
  let frames = 10;
  let frame = 0;
  const attempt = () => {
    const element = find();
    if (element === null || element === undefined) return;
    element.focus({ preventScroll: true });
    if (document.activeElement === element) focused(element);
    else if (frames-- > 0) frame = requestAnimationFrame(attempt);
  };
  attempt();
  return () => cancelAnimationFrame(frame);
}
