import type { Agent } from '../transport/api';
import type { KeptAgent } from './ui';

/** The agents that a space can begin with. */
export function readyAgents(agents: readonly Agent[]): Agent[] {
  return agents.filter(({ installed }) => installed);
}

/**
 * The agent to begin with where the user hasn't chosen one: the default agent, unless that is the guide, which is the default until another one
 * is chosen. Then one that was tested and works, or one that wasn't tested, before one that failed.
 */
export function bestAgent(ready: readonly Agent[]): Agent | undefined {
  const preferred = ready.find((agent) => agent.default);
  if (preferred !== undefined && preferred.source !== 'builtin') return preferred;
  const others = ready.filter(({ source }) => source !== 'builtin');
  const works = (wanted: boolean | null) => others.find((agent) => testedAs(agent) === wanted);
  return works(true) ?? works(null) ?? others[0] ?? preferred ?? ready[0];
}

/** Whether the last test of an agent, as it is now, has succeeded; null where there was none. */
function testedAs({ tested }: Agent): boolean | null {
  return (tested ?? null) === null || tested?.changed ? null : (tested?.ok ?? null);
}

export interface AgentChoice {
  chosen: Agent | undefined;
  /** The agent that was used last, where it is gone and the user hasn't chosen another one. */
  gone: KeptAgent | null;
}

/** Which agent a new space begins with: the one that the user has picked, else the one that was used last, else the best. */
export function chooseAgent(ready: readonly Agent[], picked: string, last: KeptAgent | null): AgentChoice {
  const find = (id: string | undefined) => ready.find((agent) => agent.id === id);
  const own = find(picked);
  if (own !== undefined) return { chosen: own, gone: null };
  const same = find(last?.id);
  return { chosen: same ?? bestAgent(ready), gone: same === undefined ? last : null };
}
