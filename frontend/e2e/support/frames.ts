import type { Page } from '@playwright/test';
import { chunk, toolCall } from './puppet';

// A conversation of numbered segments, and what each painted frame shows of them.

/** A segment of some lines, or a call. */
const segment = (i: number) =>
  i % 2 === 0
    ? chunk(`Segment ${i} says a line or so about apples. `.repeat(1 + ((i * 7919) % 23)))
    : toolCall({ toolCallId: `t${i}`, title: `Read ${i}`, kind: 'read', status: 'completed' });
export const segments = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, i) => segment(from + i));

interface Seen {
  numbers: number[];
  tops: number[];
  /** The largest part of the view in which there is nothing, in pixels. */
  gap: number;
  /** Whether the view is at the start or the end of what is held, where there is other space. */
  atEdge: boolean;
  /** What is above the view, in pixels. */
  top: number;
}

interface Watched {
  look(): Seen;
  wrong: string[];
}

/**
 * Looks at each frame that is painted from now on. The view has to be full of rows, in their order. Gaps are allowed in three frames, where the
 * heights of rows weren't known before, and while the view flies. With `strict` they never are.
 */
export async function watch(page: Page, strict = false): Promise<void> {
  await page.evaluate((strict) => {
    const watched = window as unknown as Watched;
    watched.wrong = [];
    watched.look = () => {
      const log = document.querySelector('[role=log]') as HTMLElement;
      const view = log.getBoundingClientRect();
      const seen: Seen = { numbers: [], tops: [], gap: 0, atEdge: false, top: log.scrollTop };
      let filled = view.top;
      const rows = [...log.querySelectorAll<HTMLElement>('.row')]
        .filter((row) => getComputedStyle(row).visibility !== 'hidden')
        .map((row) => ({ row, box: (row.closest('.list-row') ?? row).getBoundingClientRect() }))
        .filter(({ box }) => box.bottom > view.top && box.top < view.bottom)
        .sort((a, b) => a.box.top - b.box.top);
      for (const { row, box } of rows) {
        seen.gap = Math.max(seen.gap, box.top - filled);
        filled = Math.max(filled, box.bottom);
        const found = /(?:Segment|Read) (\d+)/.exec(row.textContent ?? '')?.[1];
        if (found === undefined) continue;
        seen.numbers.push(Number(found));
        seen.tops.push(Math.round(box.top));
      }
      seen.gap = Math.max(seen.gap, view.bottom - filled);
      seen.atEdge = log.scrollTop < 100 || log.scrollHeight - log.clientHeight - log.scrollTop < 200;
      return seen;
    };
    const { port1, port2 } = new MessageChannel();
    let [last, empty, frames] = [0, 0, 0];
    port1.onmessage = () => {
      // Of frames that come together only the last one is looked at.
      if (--frames > 0) return;
      const { numbers, gap, atEdge, top } = watched.look();
      const flies = Math.abs(top - last) > 100;
      last = top;
      const ordered = numbers.every((n, at) => at === 0 || n > (numbers[at - 1] ?? 0));
      const whole = (numbers.at(-1) ?? 0) - (numbers[0] ?? 0) === Math.max(0, numbers.length - 1);
      const fills = gap <= (atEdge ? 200 : 40);
      empty = (flies && !strict) || (fills && whole) ? 0 : empty + 1;
      if (!ordered || empty > (strict ? 0 : 3))
        watched.wrong.push(`${gap} px of nothing at ${top}, ${numbers.join(' ')}`);
    };
    const frame = () => {
      frames++;
      port2.postMessage(null);
      requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
  }, strict);
}

/** What was wrong with the frames since the page is watched, or since that was forgotten. */
export const wrongFrames = (page: Page) => page.evaluate(() => (window as unknown as Watched).wrong);

export const forgetFrames = (page: Page) =>
  page.evaluate(() => {
    (window as unknown as Watched).wrong = [];
  });

/** The segments that were in view before and aren't where they were. */
export const moved = (before: Seen, after: Seen) =>
  before.numbers.filter((number, at) => {
    const now = after.tops[after.numbers.indexOf(number)];
    return now === undefined || Math.abs(now - (before.tops[at] ?? 0)) > 1;
  });

export const look = (page: Page) => page.evaluate(() => (window as unknown as Watched).look());
export const fromEnd = (page: Page) =>
  page.getByRole('log').evaluate((log) => log.scrollHeight - log.clientHeight - log.scrollTop);
