import { describe, expect, it } from 'vitest';
import { following, grew, held, jumped, moverOf, resized, scrolled } from './followState';

const view = 500;
const at = (offset: number, size: number, continues = false) => ({ offset, size, view, continues });

describe('following the end', () => {
  it('goes on while the content grows', () => {
    let stick = scrolled(following, at(500, 1000), 'hand');
    stick = resized(stick, at(500, 1200));
    expect(stick.follows).toBe(true);
    // The browser reports the old offset once more before it scrolls.
    expect(scrolled(stick, at(500, 1200), 'hand').follows).toBe(true);
  });

  it('ends when the user scrolls up', () => {
    const stick = scrolled(following, at(500, 1000), 'hand');
    expect(scrolled(stick, at(420, 1000), 'hand').follows).toBe(false);
    expect(scrolled(stick, at(420, 1040), 'hand').follows).toBe(false);
  });

  it('does not end when something closes, the offset is clamped, and more comes at once', () => {
    const stick = scrolled(following, at(500, 1000), 'hand');
    expect(scrolled(stick, at(300, 820), 'other').follows).toBe(true);
    expect(scrolled(stick, at(300, 1020), 'other').follows).toBe(true);
  });

  it('does not end when the content becomes another, shorter one under a hand that scrolled', () => {
    const stick = scrolled(following, at(500, 1000), 'hand');
    expect(scrolled(stick, at(100, 700), 'hand').follows).toBe(true);
  });

  it('ends when something else moves up in content that stays as it is', () => {
    const stick = scrolled(following, at(500, 1000), 'hand');
    expect(scrolled(stick, at(300, 1000), 'other').follows).toBe(false);
  });

  it('does not end when the list keeps in place what it has measured', () => {
    const stick = scrolled(following, at(500, 1000), 'hand');
    expect(scrolled(stick, at(480, 1000), 'list').follows).toBe(true);
  });

  it('does not end when the list does that under a hand that has just scrolled down to the end', () => {
    const stick = scrolled(following, at(500, 1000), 'hand');
    const now = at(480, 1010);
    const by = (kept: boolean, hand: boolean) => moverOf(stick, now, { kept: () => kept, hand: () => hand });
    expect(scrolled(stick, now, by(true, true)).follows).toBe(true);
    expect(scrolled(stick, now, by(false, true)).follows).toBe(false);
    expect(by(false, false)).toBe('other');
    expect(moverOf(stick, at(500, 1010), { kept: () => false, hand: () => true })).toBe('list');
  });

  it('begins again at the end, and forgets what was unseen', () => {
    const away = grew(scrolled(scrolled(following, at(500, 1000), 'hand'), at(100, 1000), 'hand'));
    expect(away).toMatchObject({ follows: false, unseen: true });
    expect(scrolled(away, at(498, 1000), 'hand')).toMatchObject({ follows: true, unseen: false });
    expect(jumped(away)).toMatchObject({ follows: true, unseen: false });
  });

  it('does not begin at the end of what is held, below which the conversation continues', () => {
    const away = scrolled(scrolled(following, at(500, 1000), 'hand'), at(100, 1000), 'hand');
    expect(scrolled(away, at(500, 1000, true), 'hand').follows).toBe(false);
    expect(resized(away, at(500, 1000, true)).follows).toBe(false);
  });

  it('stays away while the user scrolls down but not to the end', () => {
    const away = scrolled(scrolled(following, at(500, 1000), 'hand'), at(100, 1000), 'hand');
    expect(scrolled(away, at(300, 1000), 'hand').follows).toBe(false);
  });

  it('is held when the user opens something, unless all of it is in sight', () => {
    const stick = held(scrolled(following, at(500, 1000), 'hand'));
    expect(resized(stick, at(500, 1300)).follows).toBe(false);
    expect(resized(held(following), at(0, 480)).follows).toBe(true);
  });

  it('marks news only for someone who is away', () => {
    expect(grew(following).unseen).toBe(false);
  });
});

it('sees the end also where only the space below the last line is out of view', () => {
  const away = held(scrolled(following, at(500, 1000), 'hand'));
  expect(away).toMatchObject({ follows: false, seesEnd: true });
  expect(scrolled(away, at(470, 1000), 'hand')).toMatchObject({ follows: false, seesEnd: true });
  expect(scrolled(away, at(440, 1000), 'hand')).toMatchObject({ follows: false, seesEnd: false });
  expect(resized(away, at(500, 1030))).toMatchObject({ follows: false, seesEnd: true });
  expect(resized(away, at(500, 1060))).toMatchObject({ follows: false, seesEnd: false });
});
