// An MCP server with two tools, over stdin and stdout, or with --http PORT_FILE over HTTP, where it wants a header.
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createInterface } from 'node:readline';

const tools = ['prune', 'graft'].map((name) => ({
  name,
  description: `Can ${name} a tree`,
  inputSchema: { type: 'object' },
}));

function answer({ id, method, params }) {
  if (id === undefined) return null;
  const result = (value) => ({ jsonrpc: '2.0', id, result: value });
  if (method === 'initialize') {
    const { protocolVersion } = params;
    return result({
      protocolVersion,
      capabilities: { tools: {} },
      serverInfo: { name: 'orchard', version: '2.1' },
    });
  }
  if (method === 'tools/list') return result({ tools });
  return { jsonrpc: '2.0', id, error: { code: -32601, message: 'Method not found' } };
}

const port = process.argv.indexOf('--http');
if (port > 0) {
  const server = createServer(async (request, response) => {
    if (request.headers['x-orchard'] !== 'gate-key-5566') return response.writeHead(401).end();
    if (request.method !== 'POST') return response.writeHead(405).end();
    let body = '';
    for await (const part of request) body += part;
    const said = answer(JSON.parse(body));
    if (said === null) return response.writeHead(202).end();
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(said));
  });
  server.listen(0, '127.0.0.1', () => writeFileSync(process.argv[port + 1], String(server.address().port)));
} else {
  if (process.env.ORCHARD_KEY !== 'root-key-3344') {
    process.stderr.write(`the key ${process.env.ORCHARD_KEY ?? ''} does not open the orchard\n`);
    process.exit(4);
  }
  createInterface({ input: process.stdin }).on('line', (line) => {
    const said = answer(JSON.parse(line));
    if (said !== null) process.stdout.write(`${JSON.stringify(said)}\n`);
  });
}
