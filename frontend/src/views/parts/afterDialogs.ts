/** Does something once no dialog is open, which would keep the focus. Returns what calls it off. */
export function afterDialogs(job: () => void): () => void {
  let frame = 0;
  const look = () => {
    if (document.querySelector('[role=dialog]:not([data-closed])') === null) job();
    else frame = requestAnimationFrame(look);
  };
  look();
  return () => cancelAnimationFrame(frame);
}
