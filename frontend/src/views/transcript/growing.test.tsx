// @vitest-environment jsdom
import { renderHook } from '@testing-library/react';
import { describe, expect, it, vi } from 'vitest';
import { growingAt, useQuietEnd } from './growing';
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
  function list() {
    const frame = { current: document.createElement('div') };
    const scroller = { current: document.createElement('div') };
    frame.current.append(scroller.current);
    const heard: number[] = [];
    const byUser = { current: vi.fn() };
    scroller.current.addEventListener('scroll', () => heard.push(scroller.current.scrollTop));
    const { result, rerender } = renderHook(
      ({ rows, grows }: { rows: readonly Row[]; grows: boolean }) =>
        useQuietEnd(frame, scroller, rows, grows, byUser),
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
    return { heard, byUser: byUser.current, rerender, scroll, follow };
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
    const { heard, byUser, rerender, scroll, follow } = list();
    follow(10);
    follow(20);
    expect(byUser).not.toHaveBeenCalled();
    scroll(5);
    expect(heard).toEqual([10, 5]);
    rerender({ rows: written, grows: false });
    follow(30);
    follow(40);
    expect(heard).toEqual([10, 5, 30, 40]);
  });

  it('is heard by the transcript alone where the user is beyond what the list knows of the row', () => {
    const { heard, byUser, scroll, follow } = list();
    follow(10);
    follow(90);
    scroll(50);
    expect(heard).toEqual([10]);
    expect(byUser).toHaveBeenCalledTimes(1);
  });

  it('is told to the list once it knows the row', async () => {
    const { heard, rerender, follow } = list();
    follow(10);
    follow(90);
    rerender({ rows: written, grows: false });
    await vi.waitFor(() => expect(heard).toEqual([10, 90]));
  });
});
