import type { Agent } from '../transport/api';
import type { KeptAgent } from './ui';

/** The agents that a space can start with. */
export function readyAgents(agents: readonly Agent[]): Agent[] {
  return agents.filter(({ installed }) => installed);
}

/**
 * The agent to start with if the user hasn't chosen one: the default agent, unless that is the guide, which is the
 * default until another one is chosen. Otherwise an agent whose test succeeded, then an untested one, then one whose
 * test failed.
 */
export function bestAgent(ready: readonly Agent[]): Agent | undefined {
  const preferred = ready.find((agent) => agent.default);
  if (preferred !== undefined && preferred.source !== 'builtin') return preferred;
  const others = ready.filter(({ source }) => source !== 'builtin');
  const works = (wanted: boolean | null) => others.find((agent) => testedAs(agent) === wanted);
  return works(true) ?? works(null) ?? others[0] ?? preferred ?? ready[0];
}

/** Whether the last test of an agent in its current version succeeded; null if there was none. */
function testedAs({ tested }: Agent): boolean | null {
  return (tested ?? null) === null || tested?.changed ? null : (tested?.ok ?? null);
}

export interface AgentChoice {
  chosen: Agent | undefined;
  /** The agent used last, if it is gone and the user hasn't chosen another one. */
  gone: KeptAgent | null;
}

/** Decides the agent of a new space: the one that the user picked, else the last one used, else the best one. */
export function chooseAgent(ready: readonly Agent[], picked: string, last: KeptAgent | null): AgentChoice {
  const find = (id: string | undefined) => ready.find((agent) => agent.id === id);
  const own = find(picked);
  if (own !== undefined) return { chosen: own, gone: null };
  const same = find(last?.id);
  return { chosen: same ?? bestAgent(ready), gone: same === undefined ? last : null };
}
