import { beforeEach, expect, test } from 'vitest';
import { readLastUsed, writeKept } from './ui';

beforeEach(() => localStorage.clear());

test('the agent and the folder used last are kept', () => {
  expect(readLastUsed()).toEqual({ lastAgent: null, lastFolder: null });
  writeKept({ lastAgent: { id: 'a', name: 'A' }, lastFolder: '/orchard' });
  expect(readLastUsed()).toEqual({ lastAgent: { id: 'a', name: 'A' }, lastFolder: '/orchard' });
});

test.each([
  '[]',
  'no JSON',
  '{"lastAgent":"a","lastFolder":7}',
  '{"lastAgent":{"id":"","name":"A"},"lastFolder":""}',
  '{"lastAgent":{"id":"a"},"lastFolder":{}}',
])('what cannot be read is nothing: %s', (text) => {
  localStorage.setItem('weft.window', text);
  expect(readLastUsed()).toEqual({ lastAgent: null, lastFolder: null });
});
