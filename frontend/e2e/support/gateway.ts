import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Space } from '../../src/transport/api';
import { type Manners, type Puppet, said, type Turn } from './puppet';
import type { Weft } from './weft';

// What an agent does with the MCP server that Weft hands it: it shows the call in its own session, makes it over
// streamable HTTP, and says that it is done.

/** Of a puppet that is handed the gateway. */
export const takesHttp: Manners = { initialize: { agentCapabilities: { mcpCapabilities: { http: true } } } };

export interface Heard {
  text: string;
  failed: boolean;
}

interface Server {
  url?: string;
  headers?: { name: string; value: string }[];
}

/** Calls a tool of the gateway with what the session was opened with that was prompted last. Nothing of it is in the agent's own session. */
export async function callGateway({ manners }: Puppet, name: string, args: object): Promise<Heard> {
  const servers = (manners.promptedServers ?? manners.servers) as Server[] | undefined;
  const server = servers?.find(({ url }) => url !== undefined);
  if (server?.url === undefined) throw new Error('the session has no gateway');
  const { url } = server;
  const headers: Record<string, string> = {
    'Content-Type': 'application/json',
    Accept: 'application/json, text/event-stream',
  };
  for (const header of server.headers ?? []) headers[header.name] = header.value;
  const post = async (message: object) => {
    const body = JSON.stringify({ jsonrpc: '2.0', ...message });
    const response = await fetch(url, { method: 'POST', headers, body });
    const session = response.headers.get('Mcp-Session-Id');
    if (session !== null) headers['Mcp-Session-Id'] = session;
    return response.text();
  };
  const params = {
    protocolVersion: '2025-06-18',
    capabilities: {},
    clientInfo: { name: 'puppet', version: '1' },
  };
  await post({ id: 1, method: 'initialize', params });
  await post({ method: 'notifications/initialized' });
  return heard(await post({ id: 2, method: 'tools/call', params: { name, arguments: args } }));
}

/** The result in a stream of events. */
function heard(stream: string): Heard {
  interface Answer {
    id?: number;
    result?: { content?: { text?: string }[]; isError?: boolean };
  }
  for (const line of stream.split('\n')) {
    if (!line.startsWith('data:')) continue;
    const { id, result } = JSON.parse(line.slice(5)) as Answer;
    if (id !== 2 || result === undefined) continue;
    const text = (result.content ?? []).map((piece) => piece.text ?? '').join('');
    return { text, failed: result.isError === true };
  }
  throw new Error(`no result: ${stream}`);
}

/** A display as an agent asks for it, in a space: in `space`, or nowhere. What it hears comes when it was answered. */
export async function draws(
  turn: Turn,
  puppet: Puppet,
  name: string,
  input: object,
  space?: Space,
): Promise<Heard> {
  const args = { ...input, ...(space && { targetSpaceId: space.id }) };
  const toolCallId = `${name}-${process.hrtime.bigint()}`;
  turn.tool({
    toolCallId,
    title: `mcp__weft__${name}`,
    kind: 'other',
    status: 'in_progress',
    rawInput: args,
  });
  const result = await callGateway(puppet, name, args);
  turn.change({
    toolCallId,
    status: result.failed ? 'failed' : 'completed',
    content: [said(result.text)],
  });
  return result;
}

/** Adds a tool of the user's own; Weft reads them when it starts. */
export async function ownTool(
  weft: Weft,
  definition: { name: string } & Record<string, unknown>,
): Promise<void> {
  const tools = join(dirname(weft.settings), 'tools');
  await weft.stop();
  await mkdir(tools, { recursive: true });
  await writeFile(join(tools, `${definition.name}.json`), JSON.stringify(definition));
  await weft.start();
}
