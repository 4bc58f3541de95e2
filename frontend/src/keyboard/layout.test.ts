// @vitest-environment jsdom
import { expect, it } from 'vitest';
import { matches } from './actions';
import { digitOf, keyOf } from './layout';

const press = (key: string, code: string, ...with_: ('ctrl' | 'shift' | 'alt')[]) => ({
  ...{ key, code, metaKey: false },
  ctrlKey: with_.includes('ctrl'),
  shiftKey: with_.includes('shift'),
  altKey: with_.includes('alt'),
});

it.each([
  ['Russian', press('л', 'KeyK', 'ctrl'), 'mod+k'],
  ['Russian, capitals', press('Л', 'KeyK', 'ctrl'), 'mod+k'],
  ['Russian', press('К', 'KeyR', 'ctrl', 'shift'), 'mod+shift+r'],
  ['Russian', press('б', 'Comma', 'ctrl'), 'mod+,'],
  ['Russian', press('н', 'KeyY'), 'y'],
  ['Greek', press('κ', 'KeyK', 'ctrl'), 'mod+k'],
  ['Greek', press('Dead', 'KeyL', 'alt'), 'alt+l'],
  ['Hebrew', press('ל', 'KeyK', 'ctrl'), 'mod+k'],
  ['Hebrew', press('ת', 'Comma', 'ctrl'), 'mod+,'],
  ['Arabic', press('ن', 'KeyK', 'ctrl'), 'mod+k'],
  ['Arabic, a ligature', press('لا', 'KeyB', 'ctrl'), 'mod+b'],
  ['Arabic digits', press('٠', 'Digit0', 'ctrl'), 'mod+0'],
  ['Thai', press('า', 'KeyK', 'ctrl'), 'mod+k'],
  ['Korean', press('ㅏ', 'KeyK', 'ctrl'), 'mod+k'],
  ['Turkish', press('ı', 'KeyI', 'ctrl'), 'mod+i'],
  ['German', press('+', 'BracketRight', 'ctrl'), 'mod+='],
  ['German', press(';', 'Comma', 'ctrl', 'shift'), 'mod+;'],
  ['German', press('/', 'Digit7', 'shift'), '/'],
  ['American', press('+', 'Equal', 'ctrl', 'shift'), 'mod+='],
  ['American', press('=', 'Equal', 'ctrl'), 'mod+='],
  ['American', press('?', 'Slash', 'shift'), '?'],
  ['keypad', press('+', 'NumpadAdd', 'ctrl'), 'mod+='],
  ['keypad', press('-', 'NumpadSubtract', 'ctrl'), 'mod+-'],
  ['keypad', press('0', 'Numpad0', 'ctrl'), 'mod+0'],
  ['French', press('à', 'Digit0', 'ctrl'), 'mod+0'],
  ['French', press('0', 'Digit0', 'ctrl', 'shift'), 'mod+0'],
  ['French', press('a', 'KeyQ', 'ctrl'), 'mod+a'],
  ['French', press('m', 'Semicolon', 'ctrl', 'shift'), 'mod+shift+m'],
  ['Dvorak', press('k', 'KeyV', 'ctrl'), 'mod+k'],
  ['Dvorak', press(',', 'KeyW', 'ctrl'), 'mod+,'],
  ['no place known', { ...press('k', '', 'ctrl'), code: undefined as never }, 'mod+k'],
])('%s: a press is for its shortcut', (_, event, keys) => {
  expect(matches(event, keys)).toBe(true);
});

it.each([
  ['Dvorak', press('v', 'KeyK', 'ctrl'), 'mod+k'],
  ['French', press('q', 'KeyA', 'ctrl'), 'mod+a'],
  ['German', press('ö', 'Semicolon', 'ctrl'), 'mod+;'],
  ['German', press('ß', 'Minus', 'ctrl'), 'mod+-'],
  ['Russian', press('л', 'KeyK', 'ctrl', 'shift'), 'mod+k'],
  ['Russian', press('л', 'KeyK'), 'mod+k'],
  ['Russian', press('л', 'KeyK', 'ctrl', 'alt'), 'mod+k'],
  ['American', press('K', 'KeyK', 'ctrl', 'shift'), 'mod+k'],
  ['a named key', press('F3', 'F3', 'shift'), 'F3'],
  ['a key of an input method', press('Process', 'KeyK'), 'mod+k'],
])('%s: a press is not for another shortcut', (_, event, keys) => {
  expect(matches(event, keys)).toBe(false);
});

it('knows digits by what they write, and by their places', () => {
  const french = ['&', 'é', '"', "'", '(', '-', 'è', '_', 'ç'];
  expect(french.map((key, i) => digitOf(press(key, `Digit${i + 1}`)))).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
  expect(digitOf(press('1', 'Digit1', 'shift'))).toBe(1);
  expect(digitOf(press('٣', 'Digit3'))).toBe(3);
  expect(digitOf(press('+', 'Digit1'))).toBe(1); // Czech
  expect(digitOf(press('7', 'Numpad7'))).toBe(7);
  expect(digitOf(press('!', 'Digit1', 'shift'))).toBeNull();
  expect(digitOf(press('Home', 'Numpad7'))).toBeNull();
  expect(digitOf(press('q', 'KeyQ'))).toBeNull();
  expect(keyOf(press('ArrowUp', 'ArrowUp'))).toBe('arrowup');
});
