import { describe, expect, it, test } from 'vitest';
import {
  defaultMember,
  mentionedMembers,
  nameError,
  nameFor,
  recipientsOf,
  renamed,
  seedFor,
  withoutMembers,
} from './members';
import { member } from './members.fixture';

const members = [
  member('main', 'Robin'),
  member('two', 'Tester'),
  member('three', 'Tester-2'),
  member('four', 'Änne'),
];

describe('whom a text names', () => {
  test.each([
    ['nobody', []],
    ['@Tester, please', ['two']],
    ['@tester and @ROBIN', ['two', 'main']],
    ['@Tester @Tester', ['two']],
    ['ask (@Tester-2)', ['three']],
    ['@Tester-2 and @Tester', ['three', 'two']],
    ['@Testers', []],
    ['@Testerä', []],
    ['@Tester/notes.md', []],
    ['@Tester.md', []],
    ['me@Tester', []],
    ['@änne!', ['four']],
  ])('%j', (text, ids) => {
    expect(mentionedMembers(text, members)).toEqual(ids);
  });

  it('is the default one where it names nobody', () => {
    expect(recipientsOf('hello', { members }).map(({ id }) => id)).toEqual(['main']);
    const other = members.map((one) => ({ ...one, default: one.id === 'four' }));
    expect(recipientsOf('hello', { members: other }).map(({ id }) => id)).toEqual(['four']);
    expect(recipientsOf('@Tester', { members: other }).map(({ id }) => id)).toEqual(['two']);
  });

  it('is the first where none is the default', () => {
    expect(defaultMember({ members: members.slice(1) }).id).toBe('two');
  });
});

it('takes no name of a member for a file', () => {
  expect(withoutMembers('@Tester-2 reads @README.md', members)).toBe('          reads @README.md');
  expect(withoutMembers('@tester/notes.md', members)).toBe('@tester/notes.md');
});

describe('a new member', () => {
  const robin = { id: 'a', name: 'Robin' };
  const wren = { id: 'b', name: 'Wren' };

  it('has the name of its agent, or the next that is free', () => {
    expect(nameFor(robin, [])).toBe('Robin');
    expect(nameFor(robin, ['robin ', 'Robin-2'])).toBe('Robin-3');
    expect(nameFor({ name: 'Claude Code (beta)' }, [])).toBe('Claude-Code-beta');
  });

  it('takes the name of another agent with it, but not one that was typed', () => {
    const seed = seedFor(robin, ['Robin']);
    expect(seed.name).toBe('Robin-2');
    const agents = [robin, wren];
    expect(renamed(seed, { ...seed, agentId: 'b' }, agents, ['Robin']).name).toBe('Wren');
    const typed = { ...seed, name: 'Tester' };
    expect(renamed(typed, { ...typed, agentId: 'b' }, agents, ['Robin']).name).toBe('Tester');
    expect(renamed(seed, { ...seed, role: 'x' }, agents, ['Robin'])).toMatchObject({
      name: 'Robin-2',
      role: 'x',
    });
  });

  test.each([
    [' ', 'empty'],
    ['tester', 'taken'],
    ['a@b', 'letters'],
    ['two words', 'letters'],
    ['Scribe', null],
  ])('is told what is wrong with the name %j', (name, wrong) => {
    expect(nameError(name, ['Tester'])).toBe(wrong);
  });
});
