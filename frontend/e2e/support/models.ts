import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A server with OpenAI's interface: to whoever has the key it lists models, and each of them says the same. */
export class ModelServer {
  readonly key = 'orchard-model-key-4471';
  models = ['apple-7b', 'pear-30b', 'plum-mini'];
  /** The keys of those who asked, in order. */
  readonly asked: string[] = [];
  /** How many more prompts are answered with a failure that passes. */
  failures = 0;
  private readonly server: Server;

  private constructor() {
    this.server = createServer((request, response) => {
      const key = (request.headers.authorization ?? '').replace(/^Bearer /, '');
      const send = (status: number, body: unknown) =>
        response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
      if (request.url === '/v1/chat/completions') {
        if (this.failures-- > 0) return send(503, { error: { message: 'Too many pickers' } });
        return speak(response, key === this.key);
      }
      if (request.url !== '/v1/models') return send(404, { error: { message: 'Not found' } });
      this.asked.push(key);
      if (key !== this.key)
        return send(401, {
          error: { message: `Incorrect API key provided: ${key}`, code: 'invalid_api_key' },
        });
      return send(200, { object: 'list', data: this.models.map((id) => ({ id, object: 'model' })) });
    });
  }

  static async listen(): Promise<ModelServer> {
    const one = new ModelServer();
    one.server.listen(0, '127.0.0.1');
    await once(one.server, 'listening');
    return one;
  }

  get host(): string {
    return `127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }
  get url(): string {
    return `http://${this.host}/v1`;
  }

  async close(): Promise<void> {
    if (!this.server.listening) return;
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }
}

function speak(response: ServerResponse, allowed: boolean): void {
  if (!allowed) {
    response.writeHead(401, { 'Content-Type': 'application/json' }).end('{"error":{"message":"No key"}}');
    return;
  }
  response.writeHead(200, { 'Content-Type': 'text/event-stream' });
  const chunk = (delta: object, finish: string | null) =>
    response.write(
      `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', model: 'plum-mini', choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`,
    );
  chunk({ role: 'assistant', content: 'The plums ' }, null);
  chunk({ content: 'are ripe.' }, null);
  chunk({}, 'stop');
  response.end('data: [DONE]\n\n');
}
