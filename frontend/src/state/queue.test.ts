import { describe, expect, test } from 'vitest';
import type { Conversation } from '../transcript/model';
import type { QueuedPrompt } from '../transport/api';
import { beforeAt, beforeFor, pausesOf, promptsOf, withMoved } from './queue';

const prompt = (id: string, memberId = 'main') => ({ id, memberId, text: id }) as QueuedPrompt;

function conversation(more: Partial<Record<keyof Conversation, unknown>> = {}): Conversation {
  return { messages: [], runs: [], state: {}, ...more } as unknown as Conversation;
}

const said = (more: object, memberId?: string) => ({
  role: 'agent',
  author: { memberId },
  stopReason: 'end_turn',
  ...more,
});

test('what is no queue has no prompts', () => {
  expect(promptsOf(undefined)).toEqual([]);
  expect(promptsOf({})).toEqual([]);
  expect(promptsOf([{ id: 'a' }])).toEqual([{ id: 'a' }]);
});

describe('prompts wait for the user', () => {
  const why = (more: Partial<Record<keyof Conversation, unknown>>) =>
    pausesOf([prompt('a'), prompt('b')], conversation(more)).map(({ why, next }) => `${why} ${next.id}`);
  test.each<[string, Partial<Record<keyof Conversation, unknown>>, string[]]>([
    ['not while their member works', { runs: [{ memberId: 'main', home: '' }] }, []],
    ['after a turn that failed', { messages: [said({ error: { code: 'x' } })] }, ['failed a']],
    ['after a turn that was stopped', { messages: [said({ stopReason: 'cancelled' })] }, ['stopped a']],
    ['after Weft was closed', { messages: [said({})] }, ['waiting a']],
    ['before there was a turn', {}, ['waiting a']],
    ['until they sign in', { state: { session: { signIn: true } } }, ['signIn a']],
    [
      'after the last turn of their own member',
      { messages: [said({ stopReason: 'cancelled' }), said({ error: { code: 'x' } }, 'other')] },
      ['stopped a'],
    ],
  ])('%s', (_, more, want) => expect(why(more)).toEqual(want));

  test('while their member works, those that a stop has held', () => {
    const queue = [prompt('a'), { ...prompt('b'), held: true }, prompt('c')];
    const works = conversation({ runs: [{ memberId: 'main', home: '' }] });
    expect(pausesOf(queue, works)).toEqual([{ memberId: 'main', why: 'stopped', next: queue[1] }]);
    expect(pausesOf(queue.slice(1), conversation({ messages: [said({})] }))).toEqual([
      { memberId: 'main', why: 'stopped', next: queue[1] },
    ]);
  });

  test('by member', () => {
    const queue = [prompt('a', 'ann'), prompt('b', 'bob'), prompt('c', 'ann')];
    const now = conversation({ runs: [{ memberId: 'bob', home: '' }] });
    expect(pausesOf(queue, now)).toEqual([{ memberId: 'ann', why: 'waiting', next: queue[0] }]);
  });
});

test('a prompt is moved before another one or to the end', () => {
  const ids = ['a', 'b', 'c'];
  expect(withMoved(ids, 'c', 'a')).toEqual(['c', 'a', 'b']);
  expect(withMoved(ids, 'a', 'c')).toEqual(['b', 'a', 'c']);
  expect(withMoved(ids, 'a', '')).toEqual(['b', 'c', 'a']);
  // A prompt that no longer exists changes nothing.
  expect(withMoved(ids, 'x', 'a')).toEqual(ids);
  expect(withMoved(ids, 'a', 'x')).toEqual(ids);
  expect(withMoved(ids, 'a', 'a')).toEqual(ids);
});

test('a prompt is moved by one place, as far as there is one', () => {
  const ids = ['a', 'b', 'c'];
  const moved = (id: string, by: -1 | 1) => {
    const before = beforeFor(ids, id, by);
    return before === null ? null : withMoved(ids, id, before).join('');
  };
  expect([moved('a', 1), moved('b', 1), moved('c', 1)]).toEqual(['bac', 'acb', null]);
  expect([moved('a', -1), moved('b', -1), moved('c', -1)]).toEqual([null, 'bac', 'acb']);
  expect(moved('x', 1)).toBeNull();
});

test('a prompt is dropped before the first one whose middle is below the pointer', () => {
  const others = [
    { id: 'a', middle: 10 },
    { id: 'b', middle: 30 },
  ];
  expect([0, 10, 29, 31].map((y) => beforeAt(others, y))).toEqual(['a', 'b', 'b', '']);
});
