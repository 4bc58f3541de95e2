import { describe, expect, test } from 'vitest';
import type { Agent, LastTest } from '../transport/api';
import { bestAgent, chooseAgent, readyAgents } from './agentChoice';

const tested = (ok: boolean, changed = false): LastTest => ({ ok, changed }) as LastTest;

function agent(id: string, more: Partial<Agent> = {}): Agent {
  return { id, name: id, source: 'found', installed: true, default: false, tested: null, ...more } as Agent;
}

const guide = agent('guide', { source: 'builtin', default: true });

test('agents that are known but not installed are not offered', () => {
  const known = agent('known', { source: 'catalog', installed: false });
  expect(readyAgents([guide, known])).toEqual([guide]);
});

describe('the best agent', () => {
  test.each<[string, Agent[], string | undefined]>([
    ['is none where there is none', [], undefined],
    ['is the guide where nothing else is installed', [guide], 'guide'],
    ['is an agent that was found rather than the guide', [guide, agent('a')], 'a'],
    ['is one that works', [guide, agent('a'), agent('b', { tested: tested(true) })], 'b'],
    [
      'is one that was not tested rather than one that failed',
      [agent('a', { tested: tested(false) }), agent('b')],
      'b',
    ],
    ['is judged by tests of what it is now', [agent('a', { tested: tested(false, true) }), agent('b')], 'a'],
    ['is the default', [agent('a', { tested: tested(true) }), agent('b', { default: true })], 'b'],
    ['may have failed where there is no other', [guide, agent('a', { tested: tested(false) })], 'a'],
  ])('%s', (_, ready, want) => {
    expect(bestAgent(ready)?.id).toBe(want);
  });
});

describe('the agent of a new space', () => {
  const ready = [guide, agent('a'), agent('b')];
  test('is the one that was used last', () => {
    expect(chooseAgent(ready, '', { id: 'b', name: 'B' })).toEqual({ chosen: ready[2], gone: null });
    expect(chooseAgent(ready, '', { id: 'guide', name: 'Guide' }).chosen).toBe(guide);
  });
  test('is the best one where the last one is gone, and says so', () => {
    const last = { id: 'c', name: 'C' };
    expect(chooseAgent(ready, '', last)).toEqual({ chosen: ready[1], gone: last });
  });
  test('is the one that the user picks', () => {
    expect(chooseAgent(ready, 'b', { id: 'c', name: 'C' })).toEqual({ chosen: ready[2], gone: null });
    // An agent that was picked and then removed is not reported as gone.
    expect(chooseAgent(ready, 'd', null)).toEqual({ chosen: ready[1], gone: null });
  });
});
