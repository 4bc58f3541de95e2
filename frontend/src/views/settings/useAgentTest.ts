import { testAgent } from '../../commands/agents';
import { useWeft } from '../../state/weft';
import type { AgentTest, SaveAgentRequest } from '../../transport/api';
import { type Testing, useTest } from '../parts/useTest';

export type AgentTesting = Testing<{ agentId: string } | { agent: SaveAgentRequest }, AgentTest>;

const nothing = {
  ok: false,
  protocolVersion: 0,
  name: '',
  version: '',
  capabilities: null,
  authMethods: [],
  durationMs: 0,
};

/** Tests an agent by launching it. */
export function useAgentTest(): AgentTesting {
  const weft = useWeft();
  return useTest(
    (what) => testAgent(weft, what),
    (failure) => ({ ...nothing, failure }),
  );
}
