// An agent that asks its model three times in each turn, at the address and with the key of its environment.
import { createInterface } from 'node:readline';

const { ANTHROPIC_BASE_URL: base, ANTHROPIC_API_KEY: key } = process.env;
const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const say = (text) =>
  send({
    method: 'session/update',
    params: {
      sessionId: 's',
      update: { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } },
    },
  });

async function think() {
  for (let n = 0; n < 3; n++) {
    const answer = await fetch(`${base}/v1/messages`, {
      method: 'POST',
      headers: { 'x-api-key': key, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'claude-test', stream: true, messages: [] }),
    });
    await answer.text();
    say(`Thought ${n + 1}. `);
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method } = JSON.parse(line);
  if (method === 'initialize') send({ id, result: { protocolVersion: 1, agentCapabilities: {} } });
  else if (method === 'session/new') send({ id, result: { sessionId: 's' } });
  else if (method === 'session/prompt')
    think().then(
      () => send({ id, result: { stopReason: 'end_turn' } }),
      (error) => send({ id, error: { code: -32000, message: String(error) } }),
    );
  else if (id !== undefined) send({ id, result: {} });
}
