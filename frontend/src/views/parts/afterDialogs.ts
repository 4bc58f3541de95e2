/** Does something once no dialog keeps the focus: the palette does until it has faded. Returns what calls it off. */
export function afterDialogs(job: () => void): () => void {
  let frame = 0;
  const look = () => {
    if (document.querySelector('[role=dialog]') === null) job();
    else frame = requestAnimationFrame(look);
  };
  look();
  return () => cancelAnimationFrame(frame);
}
