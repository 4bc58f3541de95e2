import { testMcpServer } from '../../commands/mcp';
import { useWeft } from '../../state/weft';
import type { McpServerForm, McpTest } from '../../transport/api';
import { type Testing, useTest } from '../parts/useTest';

export type McpTesting = Testing<{ name: string } | { server: McpServerForm }, McpTest>;

const nothing = {
  ok: false,
  name: '',
  version: '',
  protocol: '',
  tools: [],
  more: false,
  noise: '',
  durationMs: 0,
};

/** Tests the connection to an MCP server. */
export function useMcpTest(): McpTesting {
  const weft = useWeft();
  return useTest(
    (what) => testMcpServer(weft, what),
    (failure) => ({ ...nothing, failure }),
  );
}
