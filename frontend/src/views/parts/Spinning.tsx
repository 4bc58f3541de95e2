/**
 * Rotates an icon while something runs. A box around it rotates: a browser animates a box without the main thread, but
 * restyles and repaints an SVG there for each frame.
 */
export function Spinning({ on, children }: { on: boolean; children: React.ReactElement }) {
  return on ? <span className="knot-turn">{children}</span> : children;
}
