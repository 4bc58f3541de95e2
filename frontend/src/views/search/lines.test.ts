import { expect, test } from 'vitest';
import type { SearchHit } from '../../transport/api';
import { canBeChosen, linesOf } from './lines';
import { markOf } from './words';

const hit = (spaceId: string, n: number) =>
  ({ spaceId, messageId: `m${n}`, segment: 0, item: -1 }) as SearchHit;
const space = (id: string) => ({ id, title: id, folder: '', agentName: '', lastActivity: 0 });

test('hits are grouped by space, a few of each', () => {
  const found = {
    query: 'x',
    hits: [hit('a', 1), hit('b', 2), ...Array.from({ length: 8 }, (_, n) => hit('a', 10 + n))],
    titles: [{ ...space('c'), pieces: [] }],
    spaces: new Map(['a', 'b'].map((id) => [id, space(id)])),
    notes: [],
    index: { done: 0, total: 0 },
    next: 7,
    busy: false,
    error: null,
    total: null,
  };
  const words = (open: string[]) =>
    linesOf(found, new Set(open)).map((line) => (line.kind === 'rest' ? `rest ${line.count}` : line.kind));
  const few = ['titles', 'title', 'space', 'hit', 'hit', 'hit', 'hit', 'rest 5', 'space', 'hit', 'more'];
  expect(words([])).toEqual(few);
  expect(words(['a']).filter((kind) => kind === 'hit')).toHaveLength(10);
  const keys = linesOf(found, new Set(['a']))
    .filter(canBeChosen)
    .map(({ key }) => key);
  expect(new Set(keys).size).toBe(keys.length);
});

test('the first match of a snippet is found again in the transcript', () => {
  const pieces = [{ text: '…' }, { text: 'the ' }, { text: 'pool', hit: true }, { text: ' is' }];
  expect(markOf(pieces)).toEqual({ query: 'pool', before: 'the ', after: ' is' });
  expect(markOf([{ text: 'none' }])).toBeNull();
});
