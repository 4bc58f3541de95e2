interface ResizerProps {
  /** The side of the pane with the handle. */
  side: 'left' | 'right';
  width: number;
  least: number;
  most: number;
  label: string;
  onResize(width: number): void;
  onDone(width: number): void;
}

/** The edge of a pane, which can be dragged or moved with the arrow keys. */
export function Resizer({ side, width, least, most, label, onResize, onDone }: ResizerProps) {
  const within = (next: number) => Math.round(Math.min(most, Math.max(least, next)));
  const sign = side === 'right' ? 1 : -1;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a movable separator is not an <hr>
    <div
      className="resizer"
      data-side={side}
      role="separator"
      aria-orientation="vertical"
      aria-label={label}
      aria-valuenow={width}
      aria-valuemin={least}
      aria-valuemax={most}
      tabIndex={0}
      onPointerDown={(event) => {
        const handle = event.currentTarget;
        handle.setPointerCapture(event.pointerId);
        const from = event.clientX;
        let now = width;
        const move = (moved: PointerEvent) => {
          now = within(width + (moved.clientX - from) * sign);
          onResize(now);
        };
        const done = () => {
          handle.removeEventListener('pointermove', move);
          handle.removeEventListener('lostpointercapture', done);
          onDone(now);
        };
        handle.addEventListener('pointermove', move);
        handle.addEventListener('lostpointercapture', done);
      }}
      onKeyDown={(event) => {
        const by = event.key === 'ArrowRight' ? 16 : event.key === 'ArrowLeft' ? -16 : 0;
        if (by === 0) return;
        event.preventDefault();
        const next = within(width + by * sign);
        onResize(next);
        onDone(next);
      }}
    />
  );
}
