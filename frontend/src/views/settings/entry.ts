import type { Agent, SaveAgentRequest } from '../../transport/api';

/** The request that saves an agent unchanged. */
export function entryOf(agent: Agent): SaveAgentRequest {
  const { id, name, command, cwd, process, sandbox, modelProxy } = agent;
  const model = agent.model ?? null;
  return {
    id,
    name,
    ...(model === null ? { command, args: agent.args ?? [] } : { command: '', args: [], model }),
    env: agent.env ?? {},
    secretEnv: Object.fromEntries(
      Object.entries(agent.secretEnv ?? {}).map(([variable, ref]) => [variable, { ref }]),
    ),
    cwd,
    process,
    sandbox: sandbox ?? null,
    modelProxy: modelProxy ?? null,
  };
}
