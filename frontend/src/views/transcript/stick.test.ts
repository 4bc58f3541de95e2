import { describe, expect, it } from 'vitest';
import { following, grew, held, jumped, resized, scrolled } from './stick';

const view = 500;
const byHand = true;
const at = (offset: number, size: number) => ({ offset, size, view });

describe('following the end', () => {
  it('goes on while the content grows', () => {
    let stick = scrolled(following, at(500, 1000), byHand);
    stick = resized(stick, at(500, 1200));
    expect(stick.stuck).toBe(true);
    // The browser reports the old offset once more before it is scrolled.
    expect(scrolled(stick, at(500, 1200), byHand).stuck).toBe(true);
  });

  it('ends when the user scrolls up', () => {
    const stick = scrolled(following, at(500, 1000), byHand);
    expect(scrolled(stick, at(420, 1000), byHand).stuck).toBe(false);
    expect(scrolled(stick, at(420, 1040), byHand).stuck).toBe(false);
  });

  it('does not end when something closes, the offset is clamped, and more comes at once', () => {
    const stick = scrolled(following, at(500, 1000), byHand);
    expect(scrolled(stick, at(300, 820), !byHand).stuck).toBe(true);
    expect(scrolled(stick, at(300, 1020), !byHand).stuck).toBe(true);
  });

  it('does not end when the content becomes another, shorter one under a hand that scrolled', () => {
    const stick = scrolled(following, at(500, 1000), byHand);
    expect(scrolled(stick, at(100, 700), byHand).stuck).toBe(true);
  });

  it('ends when something else moves up in content that stays as it is', () => {
    const stick = scrolled(following, at(500, 1000), byHand);
    expect(scrolled(stick, at(300, 1000), !byHand).stuck).toBe(false);
  });

  it('begins again at the end, and forgets what was unseen', () => {
    const away = grew(scrolled(scrolled(following, at(500, 1000), byHand), at(100, 1000), byHand));
    expect(away).toMatchObject({ stuck: false, unseen: true });
    expect(scrolled(away, at(498, 1000), byHand)).toMatchObject({ stuck: true, unseen: false });
    expect(jumped(away)).toMatchObject({ stuck: true, unseen: false });
  });

  it('stays away while the user scrolls down but not to the end', () => {
    const away = scrolled(scrolled(following, at(500, 1000), byHand), at(100, 1000), byHand);
    expect(scrolled(away, at(300, 1000), byHand).stuck).toBe(false);
  });

  it('is held when the user opens something, unless all of it is in sight', () => {
    const stick = held(scrolled(following, at(500, 1000), byHand));
    expect(resized(stick, at(500, 1300)).stuck).toBe(false);
    expect(resized(held(following), at(0, 480)).stuck).toBe(true);
  });

  it('marks news only for someone who is away', () => {
    expect(grew(following).unseen).toBe(false);
  });
});
