// An ACP agent for the checks on Windows. It does what a prompt says:
//
//   edit FILE      writes a file of its folder itself, and shows it as a diff
//   ask            asks for permission to run a command, and says the answer
//   write FILE     writes a file through the client
//   run LINE       runs a command in a terminal of the client, and says its exit code and output
//   wait           waits until it is canceled
//   tree           starts a program that starts another one, says the ids of both and its own, and waits
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const folders = new Map();
const cancels = new Map();
const waiting = new Map();
let ids = 0;

for await (const line of createInterface({ input: process.stdin })) {
  const message = JSON.parse(line);
  if (message.method === 'session/cancel') cancels.get(message.params.sessionId)?.();
  else if (message.method === undefined) waiting.get(message.id)?.(message.result ?? { error: message.error });
  else void answer(message);
}

async function answer({ id, method, params }) {
  let result = {};
  if (method === 'initialize') result = { protocolVersion: 1, agentCapabilities: {} };
  if (method === 'session/new') {
    result = { sessionId: `windows-${ids++}` };
    folders.set(result.sessionId, params.cwd);
  }
  if (method === 'session/prompt') {
    const [word, ...rest] = params.prompt.at(-1).text.split(' ');
    const stopReason = await { edit, ask, write, run, wait, tree }[word](params.sessionId, rest.join(' '));
    result = { stopReason: stopReason ?? 'end_turn' };
  }
  send({ id, result });
}

function edit(session, name) {
  const path = join(folders.get(session), name);
  writeFileSync(path, 'written by the agent\r\n');
  call(session, {
    title: `Edit ${name}`,
    kind: 'edit',
    status: 'completed',
    locations: [{ path }],
    content: [{ type: 'diff', path, oldText: null, newText: 'written by the agent\r\n' }],
  });
  say(session, 'edited');
}

async function ask(session) {
  const toolCall = { toolCallId: call(session, { title: 'Run dir', kind: 'execute', status: 'pending' }) };
  const options = [
    { optionId: 'yes', name: 'Allow', kind: 'allow_once' },
    { optionId: 'no', name: 'Reject', kind: 'reject_once' },
  ];
  const { outcome } = await request('session/request_permission', { sessionId: session, toolCall, options });
  say(session, `answer: ${outcome.optionId ?? outcome.outcome}`);
}

async function write(session, name) {
  const path = join(folders.get(session), name);
  const result = await request('fs/write_text_file', { sessionId: session, path, content: 'through the client\n' });
  say(session, result.error ? `refused: ${result.error.message}` : 'written');
}

async function run(session, line) {
  const made = await request('terminal/create', { sessionId: session, command: line });
  if (made.error) return say(session, `refused: ${made.error.message}`);
  const of = { sessionId: session, terminalId: made.terminalId };
  const { exitCode } = await request('terminal/wait_for_exit', of);
  const { output } = await request('terminal/output', of);
  await request('terminal/release', of);
  say(session, `exit ${exitCode}: ${output.trim()}`);
}

function wait(session) {
  say(session, 'waiting');
  return new Promise((end) => cancels.set(session, () => end('cancelled')));
}

function tree(session) {
  const inner = 'console.log(process.pid); setInterval(() => {}, 1000)';
  const outer = `const c = require('child_process').spawn(process.execPath, ['-e', ${JSON.stringify(inner)}], { detached: true });
    c.stdout.on('data', (pid) => console.log(process.pid, String(pid)))`;
  spawn(process.execPath, ['-e', outer], { detached: true }).stdout.on('data', (pids) =>
    say(session, `pids ${process.pid} ${String(pids).trim()}.`),
  );
  return wait(session);
}

function call(session, fields) {
  const toolCallId = `call-${ids++}`;
  update(session, { sessionUpdate: 'tool_call', toolCallId, ...fields });
  return toolCallId;
}

function say(session, text) {
  update(session, { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } });
}

function update(sessionId, body) {
  send({ method: 'session/update', params: { sessionId, update: body } });
}

function request(method, params) {
  const id = ids++;
  send({ id, method, params });
  return new Promise((done) => waiting.set(id, done));
}

function send(message) {
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
}
