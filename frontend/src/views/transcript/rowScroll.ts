import type { VirtualizerHandle } from 'virtua';
import { hands, scrollKeys } from '../../keyboard/hands';
import type { Row } from './rows';

/** The height of what is above the list, as in transcript.css. */
export const listMargin = 24;
/** How many frames a row must stay where it is before scrolling ends, and how many frames to wait for that. */
const idleDelay = 10;
const timeout = 60;

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
    if (scrollKeys.test(key)) this.stop();
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
    if (this.still >= idleDelay || ++this.frames > timeout) this.stop();
    else this.frame = requestAnimationFrame(this.step);
  };
}

/** Where a row begins. */
const startOf = (list: VirtualizerHandle, index: number) => list.getItemOffset(index) + listMargin;

/** Aims so many pixels below the beginning of a row, by its key: rows come and go, and the list learns where they are. */
export function aimAt(list: VirtualizerHandle, rows: () => readonly Row[], key: string, offset: number): Aim {
  return () => {
    const index = rows().findIndex((row) => row.key === key);
    return index < 0 ? null : startOf(list, index) + offset;
  };
}

/** How far below the beginning of a row the view begins if it moves no further than it has to for the row to be in it. */
export function nearest(
  list: VirtualizerHandle,
  index: number,
  { scrollTop, clientHeight }: Element,
): number {
  const now = scrollTop - startOf(list, index);
  return now > 0 ? 0 : Math.max(now, list.getItemSize(index) - clientHeight);
}
