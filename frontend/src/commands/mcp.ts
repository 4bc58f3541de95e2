import type { Weft } from '../state/weft';
import type { McpServerForm, Request } from '../transport/api';

// The user's MCP servers. The backend tells when they have changed.

/** Saves a server in place of the one of that name; empty: adds it. */
export function saveMcpServer(weft: Weft, was: string, server: McpServerForm) {
  return weft.transport.call('SaveMCPServer', { was, server });
}

export function removeMcpServer(weft: Weft, name: string) {
  return weft.transport.call('RemoveMCPServer', { name });
}

/** The servers in the configuration of another program. */
export function readMcpServers(weft: Weft, text: string) {
  return weft.transport.call('ReadMCPServers', { text });
}

export function testMcpServer(weft: Weft, what: Request<'TestMCPServer'>) {
  return weft.transport.call('TestMCPServer', what);
}
