import type { VirtualizerHandle } from 'virtua';
import { pointerEvents, scrollKeys } from '../../keyboard/pointerEvents';
import type { Row } from './rows';

/** Height of the content above the list, as in transcript.css. */
export const listMargin = 24;
/** How many frames a row must be still before scrolling ends, and how many frames to wait for that. */
const idleDelay = 10;
const timeout = 60;

/** The target scroll position in pixels; null once it is gone. Called again while rows are being measured. */
type Aim = () => number | null;

/**
 * Scrolls to a row, and again while the list learns the heights around it, until the row is still, the user takes over
 * or there is another target. The list's own method can't be stopped, and continues while anything in the list grows.
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
    for (const name of pointerEvents) element.addEventListener(name, this.stop, { passive: true });
    element.addEventListener('keydown', this.keyed);
    this.step();
  }

  readonly stop = (): void => {
    cancelAnimationFrame(this.frame);
    for (const name of pointerEvents) this.element?.removeEventListener(name, this.stop);
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

/** Start of a row. */
const startOf = (list: VirtualizerHandle, index: number) => list.getItemOffset(index) + listMargin;

/**
 * Targets a number of pixels below the start of a row, by key: rows are added and removed, and the list learns their
 * positions.
 */
export function aimAt(list: VirtualizerHandle, rows: () => readonly Row[], key: string, offset: number): Aim {
  return () => {
    const index = rows().findIndex((row) => row.key === key);
    return index < 0 ? null : startOf(list, index) + offset;
  };
}

/** The offset from the start of a row that brings it into view with the least scrolling. */
export function nearest(
  list: VirtualizerHandle,
  index: number,
  { scrollTop, clientHeight }: Element,
): number {
  const now = scrollTop - startOf(list, index);
  return now > 0 ? 0 : Math.max(now, list.getItemSize(index) - clientHeight);
}
