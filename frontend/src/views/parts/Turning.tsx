/**
 * Turns a drawing while something runs. What turns is a box around it: a browser turns a box without asking the page, but
 * restyles and paints a drawing again on the main thread for each frame.
 */
export function Turning({ on, children }: { on: boolean; children: React.ReactElement }) {
  return on ? <span className="knot-turn">{children}</span> : children;
}
