import type { Weft } from '../state/weft';
import type { McpServerForm, Request } from '../transport/api';

// Commands for the user's MCP servers. The backend reports when they change.

/** Saves a server, replacing the one with the old name. If that is empty, adds the server. */
export function saveMcpServer(weft: Weft, was: string, server: McpServerForm) {
  return weft.transport.call('SaveMCPServer', { was, server });
}

export function removeMcpServer(weft: Weft, name: string) {
  return weft.transport.call('RemoveMCPServer', { name });
}

/** Reads MCP servers from the configuration of another program. */
export function readMcpServers(weft: Weft, text: string) {
  return weft.transport.call('ReadMCPServers', { text });
}

export function testMcpServer(weft: Weft, what: Request<'TestMCPServer'>) {
  return weft.transport.call('TestMCPServer', what);
}
