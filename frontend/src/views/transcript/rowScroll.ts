import type { VirtualizerHandle } from 'virtua';

/** The height of what is above the list, as in transcript.css. */
export const listMargin = 24;
/** Frames for which a row has to stay where it is before it is let go, and frames that are waited for it. */
const calm = 10;
const patience = 60;

/** What takes over from a scroll that is under way. */
const hands = ['wheel', 'touchmove', 'pointerdown'] as const;
const keys = /^(Arrow|Page|Home|End| )/;

/** Where the view is to begin, in pixels from the top of what is scrolled; null once that is gone. It is asked again while rows are measured. */
type Aim = () => number | null;

/**
 * Scrolls to a row, and again while the list learns the heights of what is around it, until the row is still, the user takes over or something
 * else is gone to. The list's own way to do that can't be stopped, and continues for as long as anything in the list grows.
 */
export class RowScroll {
  private element: HTMLElement | null = null;
  private aim: Aim = () => null;
  private frame = 0;
  private frames = 0;
  private still = 0;

  begin(element: HTMLElement, aim: Aim): void {
    this.stop();
    this.element = element;
    this.aim = aim;
    this.frames = 0;
    this.still = 0;
    for (const name of hands) element.addEventListener(name, this.stop, { passive: true });
    element.addEventListener('keydown', this.keyed);
    this.step();
  }

  readonly stop = (): void => {
    cancelAnimationFrame(this.frame);
    for (const name of hands) this.element?.removeEventListener(name, this.stop);
    this.element?.removeEventListener('keydown', this.keyed);
    this.element = null;
  };

  private readonly keyed = ({ key }: KeyboardEvent): void => {
    if (keys.test(key)) this.stop();
  };

  private readonly step = (): void => {
    const { element } = this;
    const want = this.aim();
    if (element === null || want === null || !element.isConnected) {
      this.stop();
      return;
    }
    const most = element.scrollHeight - element.clientHeight;
    const to = Math.min(Math.max(want, 0), Math.max(most, 0));
    if (Math.abs(element.scrollTop - to) > 1) {
      element.scrollTop = to;
      this.still = 0;
    } else this.still++;
    if (this.still >= calm || ++this.frames > patience) this.stop();
    else this.frame = requestAnimationFrame(this.step);
  };
}

/** Where the view begins if a row is at its top, so many pixels below the beginning of the row. */
export function startOf(list: VirtualizerHandle, index: number, offset: number): number {
  return list.getItemOffset(index) + listMargin + offset;
}

/** Where the view begins if it moves no further than it has to for a row to be in it. */
export function nearest(
  list: VirtualizerHandle,
  index: number,
  { scrollTop, clientHeight }: Element,
): number {
  const start = startOf(list, index, 0);
  const end = start + list.getItemSize(index);
  if (start < scrollTop) return start;
  return end > scrollTop + clientHeight ? end - clientHeight : scrollTop;
}
