/** Runs a job once no dialog is open, because a dialog would keep the focus. Returns a function that cancels it. */
export function afterDialogs(job: () => void): () => void {
  let frame = 0;
  const look = () => {
    if (document.querySelector('[role=dialog]:not([data-closed])') === null) job();
    else frame = requestAnimationFrame(look);
  };
  look();
  return () => cancelAnimationFrame(frame);
}
