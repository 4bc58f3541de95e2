// @vitest-environment jsdom
import { renderHook } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { growingAt, ListEnd, useQuietEnd } from './growing';
import type { Row } from './rows';

const row = (kind: string, cursor = false) => ({ kind, cursor }) as unknown as Row;
const written = [row('prompt'), row('prose', true)];

describe('the row whose height the list need not know', () => {
  it.each([
    ['a text at the end that is written', written, true, 1],
    ['none where the user reads above', written, false, -1],
    ['none once it is complete', [row('prompt'), row('prose')], true, -1],
    ['none where something is behind it', [row('prose', true), row('tail')], true, -1],
    ['none in an empty list', [], true, -1],
  ])('is %s', (_, rows, follows, at) => {
    expect(growingAt(rows, follows)).toBe(at);
  });
});

describe('scrolling to an end that has grown', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  function list() {
    const frame = { current: document.createElement('div') };
    const scroller = { current: document.createElement('div') };
    frame.current.append(scroller.current);
    const heard: number[] = [];
    const byUser = { current: vi.fn() };
    const hand = { down: false };
    const byHand = () => hand.down;
    const tell = vi.fn(() => false);
    const filled = vi.fn(() => true);
    const read = vi.spyOn(scroller.current, 'scrollTop', 'get');
    scroller.current.addEventListener('scroll', () => heard.push(scroller.current.scrollTop));
    const { result, rerender } = renderHook(
      ({ rows, grows }: { rows: readonly Row[]; grows: boolean }) =>
        useQuietEnd({ frame, scroller, rows, grows, tell, scrolled: byUser, byHand, filled }),
      { initialProps: { rows: written, grows: true } },
    );
    const scroll = (top: number) => {
      scroller.current.scrollTop = top;
      scroller.current.dispatchEvent(new Event('scroll'));
    };
    const follow = (top: number) => {
      scroller.current.scrollTop = top;
      result.current();
      scroll(top);
    };
    return { hand, read, tell, filled, heard, byUser: byUser.current, rerender, scroll, follow };
  }

  it('is heard once for each list of rows', () => {
    const { heard, rerender, follow } = list();
    for (const top of [10, 20, 30]) follow(top);
    expect(heard).toEqual([10]);
    rerender({ rows: [...written], grows: true });
    for (const top of [40, 50]) follow(top);
    expect(heard).toEqual([10, 40]);
  });

  it('is heard where the user scrolls up, and where nothing grows', () => {
    const { heard, byUser, scroll, follow } = list();
    follow(10);
    follow(20);
    expect(byUser).not.toHaveBeenCalled();
    scroll(5);
    expect(heard).toEqual([10, 5]);
    expect(byUser).not.toHaveBeenCalled();
    const other = list();
    other.rerender({ rows: written, grows: false });
    vi.advanceTimersByTime(100);
    other.heard.length = 0;
    other.follow(30);
    other.follow(40);
    expect(other.heard).toEqual([30, 40]);
  });

  it('is heard by the transcript alone where the user is beyond what the list knows of the row', () => {
    const { heard, byUser, scroll, follow } = list();
    follow(10);
    follow(90);
    scroll(50);
    expect(heard).toEqual([10]);
    expect(byUser).toHaveBeenCalledTimes(1);
  });

  it('has the position read only where the user may have scrolled', () => {
    const { hand, read, follow } = list();
    follow(10);
    read.mockClear();
    follow(20);
    // Once, by the user who went there.
    expect(read).toHaveBeenCalledTimes(1);
    hand.down = true;
    follow(30);
    expect(read).toHaveBeenCalledTimes(3);
  });

  it('waits until the list knows of a row that is higher than the view shows', () => {
    const { heard, tell, follow } = list();
    tell.mockReturnValueOnce(true);
    follow(900);
    expect(heard).toEqual([]);
    follow(910);
    expect(heard).toEqual([910]);
  });

  it('is heard once where the view comes to what is not in the page', () => {
    const { heard, filled, scroll } = list();
    filled.mockReturnValue(false);
    scroll(300);
    scroll(200);
    expect(heard).toEqual([300, 200]);
  });

  it('is heard although the last row grows, where rows above it have come into view', () => {
    const { heard, filled, follow } = list();
    follow(10);
    filled.mockReturnValue(false);
    follow(900);
    expect(heard).toEqual([10, 900]);
  });

  it('is told to the list once it has measured the row, and not before', () => {
    const { heard, byUser, rerender, follow, scroll } = list();
    follow(10);
    follow(90);
    rerender({ rows: written, grows: false });
    scroll(70);
    expect(heard).toEqual([10]);
    expect(byUser).toHaveBeenCalledTimes(1);
    vi.advanceTimersByTime(100);
    expect(heard).toEqual([10, 70]);
  });
});

describe('the row that grows at the end', () => {
  let sized: ((height: number) => void)[] = [];
  beforeEach(() => {
    sized = [];
    vi.stubGlobal(
      'ResizeObserver',
      class {
        private readonly heard: (entries: unknown[]) => void;
        constructor(heard: (entries: unknown[]) => void) {
          this.heard = heard;
        }
        observe() {
          sized.push((height) => this.heard([{ contentRect: { height } }]));
        }
        disconnect() {}
      },
    );
  });
  afterEach(() => vi.unstubAllGlobals());

  function rowIn(end: ListEnd, index: number) {
    const place = document.createElement('div');
    const row = document.createElement('div');
    place.append(row);
    return { place, row, release: end.hold(index, row) };
  }

  it('is low for the list when it has just come, and as high as it is once another comes', () => {
    const end = new ListEnd();
    end.grew = vi.fn();
    const { place } = rowIn(end, 0);
    end.moved(0, 1);
    expect(place.style.height).toBe('1px');
    sized[0]?.(300);
    expect(end.grew).toHaveBeenCalledOnce();
    expect(place.style.height).toBe('1px');
    const next = rowIn(end, 1);
    end.moved(1, 2);
    expect([place.style.height, place.style.contain, next.place.style.height]).toEqual(['', '', '1px']);
    end.leave();
    expect(next.place.dataset['grows']).toBeUndefined();
  });

  it('keeps the height that it had where it was there before', async () => {
    const end = new ListEnd();
    const { place } = rowIn(end, 0);
    await Promise.resolve();
    end.moved(0, 1);
    expect(place.style.height).toBe('');
    sized[0]?.(120);
    expect(place.style.height).toBe('120px');
    sized[0]?.(400);
    expect(place.style.height).toBe('120px');
    expect([end.tell(600), end.tell(200)]).toEqual([false, true]);
    expect(place.style.height).toBe('400px');
  });

  it('may be shown before it is measured, as the few behind it', () => {
    const end = new ListEnd();
    expect(end.isBehind(0)).toBe(false);
    end.moved(-1, 10);
    expect([6, 7, 9, 10].map((index) => end.isBehind(index))).toEqual([false, true, true, true]);
  });

  it('is still the last one where a page is drawn that has come above', () => {
    const end = new ListEnd();
    end.startMoves(30);
    expect(end.isBehind(29)).toBe(false);
    end.moved(-1, 10);
    end.startMoves(30);
    expect([7, 10, 26, 27, 29].map((index) => end.isBehind(index))).toEqual([
      false,
      false,
      false,
      true,
      true,
    ]);
  });
});
