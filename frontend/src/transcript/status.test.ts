import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { statusOf } from './status';

test('programs say how far a step is with many words', () => {
  const said: Record<string, string | undefined> = {
    in_progress: 'running',
    'In Progress': 'running',
    DONE: 'completed',
    error: 'failed',
    canceled: 'cancelled',
    constructor: undefined,
    '': undefined,
    dancing: undefined,
  };
  for (const [word, status] of Object.entries(said)) expect(statusOf(word), word).toBe(status);
});

test('the backend knows the same words', () => {
  const go = readFileSync('../backend/conversation/transcript/statusword/statusword.go', 'utf8');
  const lists = [...go.matchAll(/Status(\w+):\s+"([^"]+)"/g)];
  expect(lists).toHaveLength(7);
  for (const [, status, list] of lists) {
    for (const word of list?.split(' ') ?? []) expect(statusOf(word), word).toBe(status?.toLowerCase());
  }
});
