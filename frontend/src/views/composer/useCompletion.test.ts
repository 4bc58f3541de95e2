import { expect, it } from 'vitest';
import { member } from '../../state/members.fixture';
import { tokenAt } from './token';
import { memberSuggestions } from './useCompletion';

const members = [
  member('main', 'Robin'),
  member('two', 'Tester', { agentName: 'Wren', role: 'Runs the tests\nand says what fails' }),
];
const suggested = (text: string, among = members) => {
  const token = tokenAt(text, text.length);
  return token === null
    ? []
    : memberSuggestions(token, among).map(({ text: becomes, note }) => [becomes, note]);
};

it('offers the members after an @, those that fit, with what they are for', () => {
  expect(suggested('hello @')).toEqual([
    ['@Robin', 'Robin'],
    ['@Tester', 'Wren · Runs the tests'],
  ]);
  expect(suggested('@te')).toEqual([['@Tester', 'Wren · Runs the tests']]);
  expect(suggested('@wren')).toEqual([['@Tester', 'Wren · Runs the tests']]);
  expect(suggested('@nobody')).toEqual([]);
});

it('offers nobody where there is one only', () => {
  expect(suggested('@', members.slice(0, 1))).toEqual([]);
});
